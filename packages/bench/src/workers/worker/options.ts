import { hostname } from 'node:os'
import { pid } from 'node:process'
import type { Bytes, Store } from '@unikv/core'
import {
  any,
  flag,
  func,
  listener,
  ms,
  needed,
  type OptionsOf,
  readOptions,
  type SettingsOf,
} from '@unikv/core/adapter'
import type { ProgramModule } from '../../drive/crew.ts'
import type { LoopClock } from '../../loop/clock.ts'
import { invalidArgument } from '../../options/invalid.ts'

/** Opens the store of a URL. */
export type OpenStore = (
  url: string,
  options: Readonly<Record<string, unknown>>,
) => Store<Bytes> | Promise<Store<Bytes>>

const table = {
  /** URL of Redis or Valkey, as the manager's. */
  queue: needed(any<string>()),
  /** Opens the store of a URL. */
  open: needed(func<OpenStore>()),
  /** Programs that do other work than operations, by their names. @default none */
  programs: (given: ReadonlyMap<string, ProgramModule> | undefined = new Map()) => given,
  /** URLs of stores by the manager's names; of others the manager tells the URL, unless it may hold a password. @default none */
  stores: (given: ReadonlyMap<string, string> | undefined = new Map()) => given,
  /** Appears in messages and results. @default host and process id */
  name: workerName,
  /** End after the first manager that it worked for. @default false */
  once: flag(false),
  /** End after so long without work. @default never */
  idleMs: ms(Number.POSITIVE_INFINITY, { least: 1 }),
  /** The manager's. @default 2,000 */
  heartbeatMs: ms(2_000, { least: 1 }),
  /** For tests. @default the real one */
  clock: any<LoopClock>(),
  /** Told what it does: a sentence. */
  onNotice: listener<string>(),
}

/** A worker, and the stores that it may open. */
export interface WorkerOptions extends OptionsOf<typeof table> {}

/** The options of a worker, with their defaults. */
export type WorkerSettings = SettingsOf<typeof table>

/**
 * Check the options of a worker, and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`; `INVALID_ARGUMENT` for its name
 */
export function settingsOf(options: WorkerOptions): WorkerSettings {
  return readOptions('startWorker', table, options)
}

function workerName(name: string | undefined = `${hostname()}-${pid}`): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name
  throw invalidArgument(`'${name}' cannot name a worker: use up to 64 letters, digits, '.', '_' and '-'.`)
}

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
