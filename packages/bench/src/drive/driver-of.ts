import { StoreError } from '@unikv/core'
import { invalidConfig } from '@unikv/core/adapter'
import type { DataSource } from '../data/data-source.ts'
import { mixOf } from '../operations/mix.ts'
import type { Workload } from '../operations/workload.ts'
import { invalidArgument } from '../options/invalid.ts'
import type { RunNamespace } from '../run/run-namespace.ts'
import type { StoreTarget } from '../run/target.ts'
import { sumOf } from '../statistics/summary.ts'
import { type ClientPlan, Clients, ownCallers } from './clients.ts'
import type { Crew, DriveProgram } from './crew.ts'
import type { DriveRequest, Driver } from './driver.ts'
import { localDriver } from './local-driver.ts'
import { checkedForLosses, watched } from './lost-records.ts'
import { reopening } from './opened.ts'
import { threadFile } from './threads/messages.ts'
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
  /** Workers elsewhere; 0: this process drives the store. @default 0 */
  readonly workers?: number | undefined
  /** Where the workers are. */
  readonly crew?: Crew | undefined
  /** How callers reach the store. @default each by a KeyValue of its own, over one open store */
  readonly clients?: ClientPlan | undefined
  /** Reads of a store that evicts records may find none of those that were loaded. @default such runs are invalid */
  readonly allowsMisses?: boolean | undefined
  /** The work of threads and workers. @default the operations of the workload */
  readonly program?: DriveProgram | undefined
  /** Ends the wait for workers. */
  readonly signal: AbortSignal
}

/**
 * The driver of a store: in this thread, in several, or elsewhere.
 *
 * @throws {StoreError} `UNSUPPORTED` if threads or workers cannot share the store; what the crew rejected with
 */
export async function driverOf(driven: DrivenStore): Promise<Driver> {
  const driver = await openDriver(driven)
  const { target, namespace, program, allowsMisses = false } = driven
  const mayMiss = allowsMisses && target.store.capabilities.evicts
  return program !== undefined || mayMiss ? driver : checkedForLosses(driver, namespace.keys)
}

async function openDriver(driven: DrivenStore): Promise<Driver> {
  const { target, namespace, data, workload, seed, timeoutMs, threads, workers = 0, program } = driven
  const { keys, path } = namespace
  const records = { first: workload.firstRecord, count: workload.records }
  const plan = driven.clients ?? ownCallers
  if (threads === 1 && workers === 0) {
    const { store, opener } = target
    const again = opener && reopening(opener())
    const clients = await Clients.open({ ...plan, store, again, namespace: path, timeoutMs })
    return watched(localDriver({ keys, clients, records, data, seed, timeoutMs }))
  }
  if (target.opener === undefined) throw cannotReopen(target.name)
  const there = { opener: target.opener(), namespace: path, program, plan }
  const elsewhere = { keys, records, data, seed, timeoutMs, ...there }
  if (workers === 0) return watched(await threadDriver({ ...elsewhere, threads }))
  if (driven.crew === undefined) throw invalidConfig('Workers need a queue: give runStudy a crew.')
  const { name, url: shownUrl } = target
  return driven.crew.driver({ ...elsewhere, workers, name, shownUrl, signal: driven.signal })
}

/**
 * Refuse more threads than a run can be divided among, stores that threads cannot open, and a bundle without the program
 * of a thread.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` or `UNSUPPORTED`
 */
export function checkThreads(threads: number, request: Divided, stores: readonly StoreTarget[]): void {
  if (threads === 1) return
  threadFile()
  checkParts(`${threads} threads`, threads, request, stores)
}

/**
 * The same for workers elsewhere; 0 is none.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` or `UNSUPPORTED`
 */
export function checkWorkers(workers: number, request: Divided, stores: readonly StoreTarget[]): void {
  if (workers > 0) checkParts(`${workers} workers`, workers, request, stores)
}

type Divided = Pick<DriveRequest, 'loop' | 'operations'>

function checkParts(
  who: string,
  parts: number,
  { loop, operations }: Divided,
  stores: readonly StoreTarget[],
): void {
  const given = stores.find(({ opener }) => opener === undefined)
  if (given !== undefined) throw cannotReopen(given.name)
  const check = (count: number, what: string): void => {
    if (count < parts)
      throw invalidArgument(`${who} need at least ${parts} ${what}, one for each; got ${count}.`)
  }
  if (loop.rate === null) check(loop.concurrency, 'callers')
  else check(loop.maxInFlight, 'operations in flight')
  if (operations !== null) check(operations, 'operations')
}

/** Twice as many inserts as the mix says, as in YCSB; without a number of operations as many as there are records. */
export function expectedInserts(workload: Workload, operations: number | null, runs: number): number {
  const total = sumOf(mixOf(workload), ([, weight]) => weight)
  const { insert = 0, 'batch-insert': batches = 0 } = workload.mix
  const share = (insert + batches * workload.batch) / total
  if (share === 0) return 0
  return operations === null ? workload.records : Math.floor(2 * operations * runs * share)
}

function cannotReopen(name: string): StoreError {
  const message = `${name} is an open store without a URL, so other threads and workers cannot open it. Use one thread, or name the store by its URL.`
  return new StoreError('UNSUPPORTED', message)
}
