import { type Bytes, isEntry, isStoreError, type Mutation, type SetMutation, type Store } from '@unikv/core'

/**
 * A store that counts what goes to it and comes from it: bytes of records, without keys and what a protocol adds.
 * Closing it leaves the store open.
 */
export class Traffic<C extends Store<Bytes>['capabilities'] = Store<Bytes>['capabilities']> {
  readonly store: Store<Bytes, C>
  /** Bytes that were sent, and that came back. */
  sentBytes = 0
  receivedBytes = 0
  /** Calls that somebody waits for: all but the removal of what is not needed any more. */
  roundTrips = 0
  readonly #lengths = new Map<string, number>()
  #storedBytes = 0

  constructor(inner: Store<Bytes, C>) {
    this.store = {
      name: inner.name,
      capabilities: inner.capabilities,
      native: inner.native,
      read: async (reads, options) => {
        this.roundTrips++
        const results = await inner.read(reads, options)
        for (const result of results) {
          if (result !== undefined && !isStoreError(result) && isEntry(result))
            this.receivedBytes += result.value.length
        }
        return results
      },
      write: async (mutations, options) => {
        if (mutations.some(({ type }) => type !== 'delete')) this.roundTrips++
        for (const mutation of mutations) this.#count(mutation)
        return inner.write(mutations, options)
      },
      scan: (range, options) => inner.scan(range, options),
      close: async () => {},
    }
  }

  /** Bytes of the records that were written and not deleted. */
  get storedBytes(): number {
    return this.#storedBytes
  }

  #count(mutation: Mutation<Bytes>): void {
    if (mutation.type === 'set') this.sentBytes += this.#sentFor(mutation)
    if (mutation.type !== 'set' && mutation.type !== 'delete') return
    const length = mutation.type === 'set' ? mutation.value.length : 0
    this.#storedBytes += length - (this.#lengths.get(mutation.key) ?? 0)
    if (length === 0) this.#lengths.delete(mutation.key)
    else this.#lengths.set(mutation.key, length)
  }

  /** A store that applies deltas is sent one where it says the very value that is to be set. */
  #sentFor({ value, delta }: SetMutation<Bytes>): number {
    const isApplied = this.store.capabilities.deltas && delta !== undefined && delta.of === value
    return isApplied ? delta.bytes.length : value.length
  }
}
