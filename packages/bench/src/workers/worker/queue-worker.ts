/** Why a worker ended. */
export type WorkerEnd = 'stopped' | 'left a run' | 'idle' | 'once'

/** A worker that waits for managers. */
export interface QueueWorker {
  readonly name: string
  /** Resolves when it has ended, and its stores are closed. */
  readonly ended: Promise<WorkerEnd>
  /** Tell the manager of what is under way that this worker leaves, and end. */
  stop(): void
}
