import { hostname } from 'node:os'
import { pid } from 'node:process'
import { StoreError } from '@unikv/core'
import { checkFactoryOptions, checkMs, type OptionNames } from '@unikv/core/adapter'
import { checkReachable, queueAddress } from '../queue/redis.ts'
import { BenchWorker } from './bench-worker.ts'
import type { QueueWorker, WorkerOptions } from './options.ts'

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
  const settings = { open, programs, stores, name, once, idleMs, heartbeatMs, clock, onNotice }
  return BenchWorker.start(address, settings)
}

function badName(name: string): StoreError {
  const message = `'${name}' cannot name a worker: use up to 64 letters, digits, '.', '_' and '-'.`
  return new StoreError('INVALID_ARGUMENT', message)
}
