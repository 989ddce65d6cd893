import { type Bytes, type Entry, newVersion, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'

/** A store that costs nothing, below a layer that is measured. */
export interface LastValue {
  readonly store: Store<Bytes>
  /** The value that was written last: the answer to every read. */
  value: Bytes
}

/** A store of the last written value, for any key. */
export function lastValue(): LastValue {
  const version = newVersion()
  const own: LastValue = {
    value: Buffer.alloc(0),
    store: {
      ...memory(),
      read: (reads): Entry<Bytes>[] => reads.map(() => ({ value: own.value, version, expiresAt: undefined })),
      write: (mutations) =>
        mutations.map((mutation) => {
          if (mutation.type === 'set') own.value = mutation.value
          return { version }
        }),
    },
  }
  return own
}
