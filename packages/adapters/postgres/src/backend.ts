import type { FieldPath } from '@unikv/core/adapter'
import type { Connections } from './client/connections.ts'
import type { Statements } from './statements.ts'
import type { ValueForm } from './values.ts'

/** The state that the verbs share, once the table was checked. */
export interface Backend<V> {
  readonly connections: Connections
  readonly statements: Statements
  readonly form: ValueForm<V>
  /** Paths that declared indexes are over, by `fieldName`. */
  readonly indexed: ReadonlyMap<string, FieldPath>
  /** Records are read in the binary form. */
  readonly binary: boolean
}
