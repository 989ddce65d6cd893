import { hostname } from 'node:os'
import { pid } from 'node:process'
import { type Bytes, type Store, StoreError } from '@unikv/core'
import { checkFactoryOptions, checkMs, type OptionNames } from '@unikv/core/adapter'
import type { ProgramModule } from '../../drive/crew.ts'
import type { LoopClock } from '../../loop/clock.ts'
import { queueAddress } from '../queue/address.ts'
import { checkReachable } from '../queue/redis.ts'
import { BenchWorker } from './bench-worker.ts'
import type { QueueWorker } from './queue-worker.ts'

/** A worker, and the stores that it may open. */
export interface WorkerOptions {
  /** URL of Redis or Valkey, as the manager's. */
  readonly queue: string
  /** Opens the store of a URL. */
  readonly open: (
    url: string,
    options: Readonly<Record<string, unknown>>,
  ) => Store<Bytes> | Promise<Store<Bytes>>
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

const optionNames: OptionNames<WorkerOptions> = {
  queue: true,
  open: true,
  programs: true,
  stores: true,
  name: true,
  once: true,
  idleMs: true,
  heartbeatMs: true,
  clock: true,
  onNotice: true,
}

/**
 * Start a worker: it takes a share of each run that a manager (`openCrew`) puts into the queue.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`, `UNAVAILABLE` or `ACCESS_DENIED`
 */
export async function startWorker(options: WorkerOptions): Promise<QueueWorker> {
  checkFactoryOptions('startWorker', options, optionNames)
  const { queue, name = `${hostname()}-${pid}`, idleMs = Infinity, heartbeatMs = 2_000 } = options
  checkMs({ heartbeatMs, idleMs }, { least: 1 })
  if (!/^[\w.-]{1,64}$/.test(name)) throw badName(name)
  const address = queueAddress(queue)
  await checkReachable(address)
  const { open, programs = new Map(), stores = new Map(), once = false, clock, onNotice = () => {} } = options
  return BenchWorker.start(address, {
    open,
    programs,
    stores,
    name,
    once,
    idleMs,
    heartbeatMs,
    clock,
    onNotice,
  })
}

function badName(name: string): StoreError {
  const message = `'${name}' cannot name a worker: use up to 64 letters, digits, '.', '_' and '-'.`
  return new StoreError('INVALID_ARGUMENT', message)
}
