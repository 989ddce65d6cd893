import {
  type Awaitable,
  type CallOptions,
  type Page,
  type Pages,
  type ScanRange,
  StoreError,
} from '@unikv/core'
import { clearedPrefixes } from '@unikv/core/adapter'

/** Forgets all keys that start with one of these prefixes. */
export type Forget = (prefixes: readonly string[], call: CallOptions) => Awaitable<void>

/**
 * A listing; that of `clear` ends with what a cache keeps of keys that were not listed: others may have deleted them, so that
 * nobody else would ever tell. `isAtOnce`: a listing that takes no time still takes none.
 */
export function clearing<V>(
  scan: (range: ScanRange, call: CallOptions) => Pages<V>,
  forget: Forget,
  isAtOnce: boolean,
): (range: ScanRange, call: CallOptions) => Pages<V> {
  return (range, call) => {
    const clears = clearedPrefixes.of(range.facts)
    const pages = scan(range, call)
    if (clears === undefined || clears.length === 0) return pages
    const end = (): Awaitable<void> => forget(clears, call)
    return isAtOnce && Symbol.iterator in pages ? atOnce(pages, end) : later(pages, end)
  }
}

async function* later<V>(pages: Pages<V>, end: () => Awaitable<void>): AsyncGenerator<Page<V>> {
  yield* pages
  await end()
}

/** Nobody waits for the end here, which is told to others on its own. */
function* atOnce<V>(pages: Iterable<Page<V>>, end: () => Awaitable<void>): Generator<Page<V>> {
  yield* pages
  void end()
}

/** The error of records that may still be there. */
export function unforgotten(method: 'clear' | 'invalidate' = 'clear'): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    `The cache store did not confirm that its records are invalid: other processes may still get old values. Call ${method} again.`,
  )
}
