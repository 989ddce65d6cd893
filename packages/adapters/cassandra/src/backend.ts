import type { Routing } from './client/routing.ts'
import type { Session } from './client/session.ts'
import type { CassandraSettings } from './options.ts'
import type { ConditionalStatements, PlainStatements } from './statements.ts'

/** The state that the verbs share, once the table was checked. */
export interface Backend<S = PlainStatements | ConditionalStatements> {
  readonly session: Session
  readonly routing: Routing
  readonly statements: S
  readonly settings: CassandraSettings
}
