import type { MongoClient } from 'mongodb'
import type { Commands } from './client/commands.ts'
import type { ValueForm } from './values.ts'

/** The state that the verbs share, once the collection was checked. */
export interface Backend<V> {
  readonly commands: Commands
  readonly client: MongoClient
  readonly form: ValueForm<V>
  /** Longest value. */
  readonly maxValueBytes: number
}
