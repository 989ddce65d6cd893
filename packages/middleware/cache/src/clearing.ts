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
 * A listing. That of `clear` ends with the entries that a cache keeps for keys that were not listed: another process may
 * have deleted these keys, and no other call would tell. `isAtOnce`: a listing that takes no time still takes none.
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

/** No caller waits for the end here; others are told of it separately. */
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
