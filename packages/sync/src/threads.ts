import {
  type Bytes,
  type CallOptions,
  type Capabilities,
  type Mutation,
  type Page,
  type Read,
  type ReadResult,
  type ScanRange,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { Tinypool } from 'tinypool'
import { compact } from './compact.ts'
import { fromPlain, unmark } from './plain-error.ts'
import type { ThreadAnswer, ThreadCall } from './thread-worker.ts'

/** Settings of `threads`. */
export interface ThreadsOptions {
  /** How many worker threads; each opens a store of its own. @default 4 */
  readonly threads?: number | undefined
  /** Which export of the module opens the store: a function that returns it. @default 'open' */
  readonly exportName?: string | undefined
  /** Given to that function in each thread; plain data. */
  readonly settings?: unknown
  /** Most calls that wait for a thread; more are `OVERLOADED` at once. @default 10,000 */
  readonly maxQueue?: number | undefined
  /** Node options of the worker threads, such as `['--import', 'tsx']`. @default those of this process */
  readonly execArgv?: readonly string[] | undefined
}

/** Capabilities of a store on threads: it answers by promise. */
export type ThreadedCapabilities<C extends Capabilities> = Omit<C, 'sync'> & { readonly sync: 'none' }

/**
 * An asynchronous store of a client that is only synchronous: each worker thread opens the store of a module, and
 * calls are spread over the threads. (The thread pool of the UDSM paper.)
 *
 * The module runs in every thread, so the stores must share their data (a file, a server). KeyValue keeps calls on
 * one key in order. There is no native client in this thread.
 *
 * @throws {StoreError} `INVALID_CONFIG` if the module does not export the function
 */
export async function threads<C extends Capabilities = Capabilities>(
  module: URL | string,
  options: ThreadsOptions = {},
): Promise<Store<Bytes, ThreadedCapabilities<C> & Capabilities, undefined>> {
  const {
    threads: count = 4,
    exportName = 'open',
    settings,
    maxQueue = 10_000,
    execArgv = process.execArgv,
  } = options
  if (!Number.isSafeInteger(count) || count < 1)
    throw new StoreError('INVALID_CONFIG', 'threads must be a whole number above 0.')
  const pool = new Tinypool({
    runtime: 'worker_threads',
    filename: new URL('./thread-worker.js', import.meta.url).href,
    minThreads: count,
    maxThreads: count,
    maxQueue,
    execArgv: [...execArgv],
    workerData: { module: String(module), exportName, settings },
  })
  try {
    const { name, capabilities } = (await ask(pool, { verb: 'facts' }, false)) as {
      name: string
      capabilities: C
    }
    return threaded(pool, name, {
      ...capabilities,
      sync: 'none',
      batch: { ...capabilities.batch, coalesce: { min: 2, max: 32 } },
    })
  } catch (error) {
    await pool.destroy()
    throw error
  }
}

function threaded<C extends Capabilities>(
  pool: Tinypool,
  name: string,
  capabilities: C,
): Store<Bytes, C, undefined> {
  return {
    name,
    capabilities,
    native: undefined,
    read: async (reads: readonly Read[]) =>
      ((await ask(pool, { verb: 'read', reads }, false)) as unknown[]).map(unmark) as ReadResult<Bytes>[],
    write: async (mutations: readonly Mutation<Bytes>[]) =>
      (
        (await ask(
          pool,
          { verb: 'write', mutations: mutations.map((one) => (one.type === 'set' ? compact(one) : one)) },
          true,
        )) as unknown[]
      ).map(unmark) as WriteResult[],
    scan: (range: ScanRange, _options: CallOptions) => pagesOf(pool, range),
    close: () => pool.destroy(),
  }
}

/** Page by page, each by whichever thread is free. */
async function* pagesOf(pool: Tinypool, range: ScanRange): AsyncGenerator<Page<Bytes>> {
  let { resume } = range
  do {
    const page = (await ask(pool, { verb: 'scan', range: { ...range, resume } }, false)) as Page<Bytes>
    yield {
      ...page,
      entries: page.entries.map(({ key, entry }) => ({ key, entry: unmark(entry) as typeof entry })),
    }
    resume = page.resume
  } while (resume !== undefined)
}

async function ask(pool: Tinypool, call: ThreadCall, isWrite: boolean): Promise<unknown> {
  let answer: ThreadAnswer
  try {
    answer = (await pool.run(call, { name: 'work' })) as ThreadAnswer
  } catch (cause) {
    throw poolError(cause, isWrite)
  }
  if ('error' in answer) throw fromPlain(answer.error)
  return answer.value
}

function poolError(cause: unknown, isWrite: boolean): StoreError {
  const message = cause instanceof Error ? cause.message : ''
  if (/queue/i.test(message))
    return new StoreError('OVERLOADED', 'All threads are busy and the queue is full; nothing was done.', {
      cause,
    })
  if (isWrite)
    return new StoreError(
      'OUTCOME_UNKNOWN',
      'The worker thread ended during the write; it may or may not have taken effect.',
      { cause },
    )
  return new StoreError('UNAVAILABLE', 'The worker thread ended before it answered.', { cause })
}
