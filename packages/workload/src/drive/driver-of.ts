import { StoreError } from '@unikv/core'
import type { DataSource } from '../data/data-source.ts'
import { mixOf, type Workload } from '../operations/workload.ts'
import type { RunNamespace } from '../run/run-namespace.ts'
import type { StoreTarget } from '../run/target.ts'
import type { DriveRequest, Driver } from './driver.ts'
import { localDriver } from './local-driver.ts'
import { threadDriver } from './threads/thread-driver.ts'

/** A store of a study, and how it is driven. */
export interface DrivenStore {
  readonly target: StoreTarget
  readonly namespace: Pick<RunNamespace, 'keys' | 'path'>
  readonly data: DataSource
  readonly workload: Workload
  readonly seed: number
  /** Deadline of every call. */
  readonly timeoutMs: number
  readonly threads: number
}

/**
 * The driver of a store, in this thread or in several.
 *
 * @throws {StoreError} `UNSUPPORTED` if threads cannot share the store
 */
export async function driverOf(driven: DrivenStore): Promise<Driver> {
  const { target, namespace, data, workload, seed, timeoutMs, threads } = driven
  const { keys, path } = namespace
  const records = { first: workload.firstRecord, count: workload.records }
  if (threads === 1) return localDriver({ keys, records, data, seed, timeoutMs })
  if (target.opener === undefined) throw cannotReopen(target.name)
  const opener = target.opener()
  return threadDriver({ keys, records, data, seed, threads, opener, namespace: path, timeoutMs })
}

/**
 * Refuse more threads than a run can be divided among, and stores that threads cannot open.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` or `UNSUPPORTED`
 */
export function checkThreads(
  threads: number,
  { loop, operations }: Pick<DriveRequest, 'loop' | 'operations'>,
  stores: readonly StoreTarget[],
): void {
  if (threads === 1) return
  const given = stores.find(({ opener }) => opener === undefined)
  if (given !== undefined) throw cannotReopen(given.name)
  if (loop.rate === null && loop.concurrency < threads) throw tooFew(threads, loop.concurrency, 'callers')
  if (loop.rate !== null && loop.maxInFlight < threads)
    throw tooFew(threads, loop.maxInFlight, 'operations in flight')
  if (operations !== null && operations < threads) throw tooFew(threads, operations, 'operations')
}

/** Twice as many inserts as the mix says, as in YCSB; without a number of operations as many as there are records. */
export function expectedInserts(workload: Workload, operations: number | null, runs: number): number {
  const total = mixOf(workload).reduce((sum, [, weight]) => sum + weight, 0)
  const share = (workload.mix['insert'] ?? 0) / total
  if (share === 0) return 0
  return operations === null ? workload.records : Math.floor(2 * operations * runs * share)
}

function tooFew(threads: number, count: number, what: string): StoreError {
  const message = `${threads} threads need at least ${threads} ${what}, one for each; got ${count}.`
  return new StoreError('INVALID_ARGUMENT', message)
}

function cannotReopen(name: string): StoreError {
  const message = `${name} is an open store without a URL, so several threads cannot open it. Use one thread, or name the store by its URL.`
  return new StoreError('UNSUPPORTED', message)
}
