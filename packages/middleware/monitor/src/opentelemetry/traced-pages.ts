import { type Awaitable, isPromise, type Page, type Pages } from '@unikv/core'
import { endingByError } from './endings.ts'
import type { ObservedCall } from './telemetry.ts'

/** The pages of a scan in one span, from the first page that is asked for to the last one that is taken. */
export function tracedPages<V>(scan: () => Pages<V>, start: () => ObservedCall): Pages<V> {
  const pages = scan()
  if (Symbol.iterator in pages) return { [Symbol.iterator]: () => atOnce(pages, start) }
  return { [Symbol.asyncIterator]: () => awaited(pages, start) }
}

async function* awaited<V>(
  pages: AsyncIterable<Page<V>>,
  start: () => ObservedCall,
): AsyncGenerator<Page<V>> {
  const call = start()
  const scan = new ScanSpan(call)
  try {
    for await (const page of stepsWithin(pages, call)) yield scan.page(page)
  } catch (error) {
    scan.failed(error)
    throw error
  } finally {
    scan.over()
  }
}

/** A page that is a promise nevertheless is passed on as one. */
function* atOnce<V>(pages: Iterable<Awaitable<Page<V>>>, start: () => ObservedCall): Generator<Page<V>> {
  const call = start()
  const scan = new ScanSpan(call)
  try {
    for (const page of stepsWithinNow(pages, call))
      yield isPromise(page) ? (page.then((one) => scan.page(one)) as unknown as Page<V>) : scan.page(page)
  } catch (error) {
    scan.failed(error)
    throw error
  } finally {
    scan.over()
  }
}

/** Counts what a scan brings. Its span tells of pages, which the monitor counts as calls, and entries. */
class ScanSpan {
  readonly #call: ObservedCall
  #pages = 0
  #entries = 0
  #ended = false

  constructor(call: ObservedCall) {
    this.#call = call
  }

  page<V>(page: Page<V>): Page<V> {
    this.#pages++
    this.#entries += page.entries.length
    return page
  }

  failed(error: unknown): void {
    this.#ended = true
    this.#call.end({ ...endingByError(error), facts: this.#facts() })
  }

  over(): void {
    if (!this.#ended) this.#call.end({ failed: 0, facts: this.#facts() })
  }

  #facts(): Record<string, number> {
    return { 'unikv.scan.pages': this.#pages, 'db.response.returned_rows': this.#entries }
  }
}

/** The same pages, fetched where the span of the scan is active. The reader runs in its own context. */
function stepsWithin<T>(pages: AsyncIterable<T>, call: ObservedCall): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const steps = call.within(() => pages[Symbol.asyncIterator]())
      return {
        next: () => call.within(() => steps.next()),
        return: async () =>
          (await call.within(() => steps.return?.())) ?? { done: true as const, value: undefined },
      }
    },
  }
}

function stepsWithinNow<T>(pages: Iterable<T>, call: ObservedCall): Iterable<T> {
  return {
    [Symbol.iterator]: () => {
      const steps = call.within(() => pages[Symbol.iterator]())
      return {
        next: () => call.within(() => steps.next()),
        return: () => call.within(() => steps.return?.()) ?? { done: true as const, value: undefined },
      }
    },
  }
}
