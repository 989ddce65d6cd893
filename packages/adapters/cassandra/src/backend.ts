import type { CassandraSettings } from './cassandra-options.ts'
import type { Routing } from './routing.ts'
import type { Session } from './session.ts'
import type { ConditionalStatements, PlainStatements } from './statements.ts'

/** What the verbs work with, once the table was looked at. */
export interface Backend<S = PlainStatements | ConditionalStatements> {
  readonly session: Session
  readonly routing: Routing
  readonly statements: S
  readonly settings: CassandraSettings
}
