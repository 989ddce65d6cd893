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
import { any, label, ms, type OptionsOf, readOptions, unmark, whole } from '@unikv/core/adapter'
import { clearTimeout, setTimeout } from '@unikv/core/platform'
import { compact } from './compact.ts'
import { moduleTable, moduleUrl } from './module-url.ts'
import { pack } from './packed.ts'
import { ThreadPool } from './thread-pool.ts'

const table = {
  /** How many worker threads; each opens a store of its own. @default 4 */
  threads: whole(4),
  /** Which export of the module opens the store: a function that returns it. @default 'open' */
  exportName: label('open'),
  /** Given to that function in each thread; plain data. */
  settings: any<unknown>(),
  /** Most calls that wait for a thread; more are `OVERLOADED` at once. @default 10,000 */
  maxQueue: whole(10_000, 0),
  /** How long the module may take to open its store, in milliseconds. @default 30,000 */
  startMs: ms(30_000),
}

/** Settings of `threads`. */
export interface ThreadsOptions extends OptionsOf<typeof table>, OptionsOf<typeof moduleTable> {}

/** Capabilities of a store on threads: it answers by promise. */
export type ThreadedCapabilities<C extends Capabilities> = Omit<C, 'sync'> & { readonly sync: 'none' }

/**
 * An asynchronous store of a client that is only synchronous: each worker thread opens the store of a module, and
 * calls are spread over the threads. (The thread pool of the UDSM paper.)
 *
 * The module runs in every thread, so the stores must share their data (a file, a server). KeyValue keeps calls on
 * one key in order. There is no native client in this thread.
 *
 * @throws {StoreError} `INVALID_CONFIG` if the module cannot be imported or does not export the function; `TIMEOUT` if it
 *   does not open its store within `startMs`
 */
export async function threads<C extends Capabilities = Capabilities>(
  module: URL | string,
  options: ThreadsOptions = {},
): Promise<Store<Bytes, ThreadedCapabilities<C> & Capabilities, undefined>> {
  const own = readOptions('threads', { ...table, ...moduleTable }, options)
  const { threads: count, exportName, settings, maxQueue, execArgv, startMs } = own
  const workerData = {
    module: moduleUrl('threads', module),
    exportName,
    settings: pack(settings, 'INVALID_CONFIG'),
  }
  const pool = new ThreadPool({ threads: count, maxQueue, execArgv, workerData })
  try {
    const { name, capabilities } = (await soon(pool.ask({ verb: 'facts' }), startMs)) as {
      name: string
      capabilities: C
    }
    return threaded(pool, name, {
      ...capabilities,
      sync: 'none',
      batch: { ...capabilities.batch, coalesce: { min: 2, max: 32 } },
    })
  } catch (error) {
    await pool.close()
    throw error
  }
}

/** The answer, unless the module is still not open after `startMs`. */
async function soon<T>(answer: Promise<T>, startMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const message = 'The module did not open its store within startMs. Check the module, or raise startMs.'
    timer = setTimeout(() => reject(new StoreError('TIMEOUT', message)), startMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

function threaded<C extends Capabilities>(
  pool: ThreadPool,
  name: string,
  capabilities: C,
): Store<Bytes, C, undefined> {
  return {
    name,
    capabilities,
    native: undefined,
    read: async (reads: readonly Read[], options: CallOptions) =>
      ((await pool.ask({ verb: 'read', reads }, options)) as unknown[]).map(unmark) as ReadResult<Bytes>[],
    write: async (mutations: readonly Mutation<Bytes>[], options: CallOptions) => {
      const compacted = mutations.map((one) => (one.type === 'set' ? compact(one) : one))
      const results = (await pool.ask({ verb: 'write', mutations: compacted }, options)) as unknown[]
      return results.map(unmark) as WriteResult[]
    },
    scan: (range: ScanRange, options: CallOptions) => pagesOf(pool, range, options),
    close: () => pool.close(),
  }
}

/** Page by page, each by whichever thread is free. */
async function* pagesOf(
  pool: ThreadPool,
  range: ScanRange,
  options: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  let { resume } = range
  do {
    const page = (await pool.ask({ verb: 'scan', range: { ...range, resume } }, options)) as Page<Bytes>
    yield {
      ...page,
      entries: page.entries.map(({ key, entry }) => ({ key, entry: unmark(entry) as typeof entry })),
    }
    resume = page.resume
  } while (resume !== undefined)
}
