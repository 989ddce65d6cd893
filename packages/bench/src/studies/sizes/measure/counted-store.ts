import type { Bytes, Store } from '@unikv/core'

/** A store that counts what reaches it. Closing it leaves the store open. */
export interface CountedStore {
  readonly store: Store<Bytes>
  /** Keys read so far. */
  reads(): number
}

/** Count the reads that reach a store, to prove which ones a cache answered. */
export function countedStore(inner: Store<Bytes>): CountedStore {
  let reads = 0
  return {
    reads: () => reads,
    store: {
      name: inner.name,
      capabilities: inner.capabilities,
      native: inner.native,
      read: (asked, options) => {
        reads += asked.length
        return inner.read(asked, options)
      },
      write: (mutations, options) => inner.write(mutations, options),
      scan: (range, options) => inner.scan(range, options),
      close: async () => {},
    },
  }
}
