import type { DeclaredIndex } from '@unikv/core/adapter'
import type { MongoClient } from 'mongodb'
import type { Commands } from './client/commands.ts'
import type { ValueForm } from './values.ts'

/** The state that the verbs share, once the collection was checked. */
export interface Backend<V> {
  readonly commands: Commands
  readonly client: MongoClient
  readonly form: ValueForm<V>
  readonly indexes: readonly DeclaredIndex[]
  /** Longest value. */
  readonly maxValueBytes: number
}
