import type { Bytes, Page, Pages, Store } from '@unikv/core'

/** A store whose calls are counted: each read, each write and each page of a listing, with however many keys. Closing it leaves the store open. */
export class CountedStore {
  readonly store: Store<Bytes>
  calls = 0

  constructor(inner: Store<Bytes>) {
    const { name, dataset, capabilities, native, groups } = inner
    this.store = {
      name,
      dataset,
      capabilities,
      native,
      groups,
      read: (reads, options) => {
        this.calls++
        return inner.read(reads, options)
      },
      write: (mutations, options) => {
        this.calls++
        return inner.write(mutations, options)
      },
      scan: (range, options) => this.#counted(inner.scan(range, options)),
      close: async () => {},
    }
  }

  async *#counted(pages: Pages<Bytes>): AsyncIterable<Page<Bytes>> {
    for await (const page of pages) {
      this.calls++
      yield page
    }
  }
}
