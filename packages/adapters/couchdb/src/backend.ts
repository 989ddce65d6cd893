import type { MetExpired } from '@unikv/core/adapter'
import type { CouchDatabase } from './client/couch-database.ts'
import type { ValueForm } from './document.ts'
import type { Revisions } from './revisions.ts'

/** The state that the verbs share, once the database was checked. */
export interface Backend<V> {
  readonly couch: CouchDatabase
  readonly form: ValueForm<V>
  readonly revisions: Revisions
  readonly expired: MetExpired<string>
  readonly maxValueBytes: number
  /** Whether an acknowledged write is one that a quorum of the copies has. */
  readonly isReplicated: boolean
}
