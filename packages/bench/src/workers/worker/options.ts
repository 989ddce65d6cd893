import type { Bytes, Store } from '@unikv/core'
import type { ProgramModule } from '../../drive/crew.ts'
import type { LoopClock } from '../../loop/clock.ts'

/** Opens the store of a URL. */
export type OpenStore = (
  url: string,
  options: Readonly<Record<string, unknown>>,
) => Store<Bytes> | Promise<Store<Bytes>>

/** A worker, and the stores that it may open. */
export interface WorkerOptions {
  /** URL of Redis or Valkey, as the manager's. */
  readonly queue: string
  /** Opens the store of a URL. */
  readonly open: OpenStore
  /** Programs that do other work than operations, by their names. @default none */
  readonly programs?: ReadonlyMap<string, ProgramModule> | undefined
  /** URLs of stores by the manager's names; of others the manager tells the URL, unless it may hold a password. @default none */
  readonly stores?: ReadonlyMap<string, string> | undefined
  /** Appears in messages and results. @default host and process id */
  readonly name?: string | undefined
  /** End after the first manager that it worked for. @default false */
  readonly once?: boolean | undefined
  /** End after so long without work. @default never */
  readonly idleMs?: number | undefined
  /** The manager's. @default 2_000 */
  readonly heartbeatMs?: number | undefined
  /** For tests. @default the real one */
  readonly clock?: LoopClock | undefined
  /** Told what it does: a sentence. */
  readonly onNotice?: ((text: string) => void) | undefined
}

/** The options of a worker, with their defaults. */
export type WorkerSettings = {
  readonly [Name in Exclude<keyof WorkerOptions, 'queue' | 'clock'>]-?: NonNullable<WorkerOptions[Name]>
} & { readonly clock: WorkerOptions['clock'] }

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
