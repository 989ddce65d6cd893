import type { OwnThread, WorkerThreads } from './client/access.ts'
import type { ValueForm } from './values.ts'

/** The state that the verbs share. The file opens with the first job. */
export interface Backend<V> {
  readonly access: OwnThread | WorkerThreads
  readonly form: ValueForm<V>
  /** Writes are refused. */
  readonly readOnly: boolean
}
