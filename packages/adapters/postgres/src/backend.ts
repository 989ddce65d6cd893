import type { Connections } from './client/connections.ts'
import type { Statements } from './statements.ts'
import type { ValueForm } from './values.ts'

/** What the verbs work with, once the table was looked at. */
export interface Backend<V> {
  readonly connections: Connections
  readonly statements: Statements
  readonly form: ValueForm<V>
}
