import type { Commands } from './client/commands.ts'
import type { ValueForm } from './values.ts'

/** What the verbs work with, once the collection was looked at. */
export interface Backend<V> {
  readonly commands: Commands
  readonly form: ValueForm<V>
  /** Longest value. */
  readonly maxValueBytes: number
}
