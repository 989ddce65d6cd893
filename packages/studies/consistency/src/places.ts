import type { Bytes, Store } from '@unikv/core'
import type { StoreTarget } from '@unikv/workload'
import type { StoreOpener } from '@unikv/workload/drive'

/** A store as one reader sees it. */
export interface ReadingPlace {
  readonly name: string
  readonly store: Store<Bytes>
}

/** The places that read a store: another connection to it, and those that were named besides. */
export class ReadingPlaces {
  readonly #found = new Map<StoreTarget, readonly ReadingPlace[]>()
  readonly #opened: Store<Bytes>[] = []

  /** Opened the first time. */
  async of(target: StoreTarget): Promise<readonly ReadingPlace[]> {
    const found = this.#found.get(target) ?? (await this.#open(target))
    this.#found.set(target, found)
    return found
  }

  async close(): Promise<void> {
    const ended = await Promise.allSettled(this.#opened.map((store) => store.close()))
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }

  async #open({ store, opener, readers = [] }: StoreTarget): Promise<readonly ReadingPlace[]> {
    const places: ReadingPlace[] = [
      { name: ownReader, store: opener === undefined ? store : await this.#opening(opener()) },
    ]
    for (const reader of readers)
      places.push({ name: reader.name, store: await this.#opening(reader.opener()) })
    return places
  }

  async #opening({ module, url, options }: StoreOpener): Promise<Store<Bytes>> {
    const { open } = (await import(module)) as {
      readonly open: (url: string, options: object) => Promise<Store<Bytes>>
    }
    const store = await open(url, options)
    this.#opened.push(store)
    return store
  }
}

/** The reader that every store has: another connection to the same URL. */
export const ownReader = 'other connection'

/** The names of all readers of a store, before they are opened. */
export function readerNames({ readers = [] }: Pick<StoreTarget, 'readers'>): readonly string[] {
  return [ownReader, ...readers.map(({ name }) => name)]
}
