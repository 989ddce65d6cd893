import {
  type Awaitable,
  type CallOptions,
  isPromise,
  type Page,
  type Pages,
  type ScanEntry,
  type Store,
} from '@unikv/core'
import type { ScanMeter } from './meters/store-meters.ts'
import type { RecentCalls } from './recent-calls.ts'

/** Where the pages of a store are counted. */
export interface ScanCounts {
  readonly store: string
  readonly meter: ScanMeter
  readonly calls: RecentCalls
}

/** The pages of a scan, each counted and timed as a call. */
export function watchedPages<V>(pages: Pages<V>, counted: ScanCounts, call: CallOptions): Pages<V> {
  const watch = new PageWatch(counted, call)
  if (Symbol.iterator in pages) return { [Symbol.iterator]: () => pagesAtOnce(pages, watch) }
  return { [Symbol.asyncIterator]: () => awaitedPages(pages, watch) }
}

/** The queries of a store, each counted and timed as a call. */
export function watchedFind(
  find: NonNullable<Store<unknown>['find']>,
  counted: ScanCounts,
): NonNullable<Store<unknown>['find']> {
  return (query, call) => {
    const watch = new PageWatch(counted, call)
    const startedAt = watch.start()
    try {
      const answer = find(query, call)
      return isPromise(answer) ? watch.promised(answer, startedAt) : watch.page(answer, startedAt)
    } catch (error) {
      throw watch.failed(error, startedAt)
    }
  }
}

/** A page that is a promise nevertheless is awaited by `for await`, as elsewhere. */
function* pagesAtOnce<V>(pages: Iterable<Awaitable<Page<V>>>, watch: PageWatch): Generator<Page<V>> {
  let startedAt = watch.start()
  try {
    for (const page of pages) {
      if (isPromise(page)) yield watch.promised(page, startedAt) as unknown as Page<V>
      else yield watch.page(page, startedAt)
      startedAt = watch.start()
    }
  } catch (error) {
    throw watch.failed(error, startedAt)
  }
  watch.over(false)
}

async function* awaitedPages<V>(pages: AsyncIterable<Page<V>>, watch: PageWatch): AsyncGenerator<Page<V>> {
  let startedAt = watch.wait()
  try {
    for await (const page of pages) {
      yield watch.awaitedPage(page, startedAt)
      startedAt = watch.wait()
    }
  } catch (error) {
    throw watch.awaitedFailed(error, startedAt)
  }
  watch.over(true)
}

/** Records that came together. */
interface Entries {
  readonly entries: readonly ScanEntry<unknown>[]
}

/** Counts the pages of one scan, or the answer of one query. */
class PageWatch {
  readonly #meter: ScanMeter
  readonly #calls: RecentCalls
  readonly #store: string
  readonly #call: CallOptions

  constructor({ meter, store, calls }: ScanCounts, call: CallOptions) {
    this.#meter = meter
    this.#store = store
    this.#calls = calls
    this.#call = call
  }

  start(): number {
    return this.#meter.start()
  }

  wait(): number {
    return this.#meter.waits(this.#meter.start())
  }

  /** The last start was the end of the scan, not a page. */
  over(waited: boolean): void {
    this.#meter.withdraw(waited)
  }

  page<P extends Entries>(page: P, startedAt: number): P {
    this.#answered(page.entries.length, this.#meter.count(page.entries), startedAt)
    return page
  }

  promised<P extends Entries>(page: Promise<P>, maybeStartedAt: number): Promise<P> {
    const startedAt = this.#meter.waits(maybeStartedAt)
    return page.then(
      (ready) => this.awaitedPage(ready, startedAt),
      (error: unknown) => {
        throw this.awaitedFailed(error, startedAt)
      },
    )
  }

  awaitedPage<P extends Entries>(page: P, startedAt: number): P {
    this.#tell(page.entries.length, this.#meter.count(page.entries), startedAt)
    return page
  }

  failed(error: unknown, startedAt: number): unknown {
    this.#meter.failed(error, 1)
    this.#answered(1, 1, startedAt)
    return error
  }

  awaitedFailed(error: unknown, startedAt: number): unknown {
    this.#meter.failed(error, 1)
    this.#tell(0, 1, startedAt)
    return error
  }

  #tell(items: number, failed: number, startedAt: number): void {
    const durationMs = this.#meter.settled(startedAt, this.#call)
    this.#calls.awaited(this.#store, this.#meter, { items, failed, durationMs })
  }

  #answered(items: number, failed: number, startedAt: number): void {
    if (startedAt === -1) return
    const durationMs = this.#meter.timed(startedAt)
    this.#calls.atOnce(this.#store, this.#meter, { items, failed, durationMs })
  }
}
