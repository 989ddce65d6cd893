import { type Bytes, type KeyValue, type Page, type Pages, type Store, StoreError } from '@unikv/core'
import { isShared, keysIn, signShared } from './opened.ts'
import { partOf, type Share } from './share.ts'

/** A store whose calls are counted: each read, each write and each page of a listing, with however many keys. Closing it leaves the store open. */
class CountedStore {
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

/** How the callers of a run reach its store. Plain data. */
export interface ClientPlan {
  /** Callers share a KeyValue, which merges their calls, as those of one application do; otherwise each has one of its own, and none of their calls are merged. */
  readonly merge: boolean
  /** How many times the store is opened; callers are spread over that. */
  readonly connections: number
}

/** Callers of their own, over the connections that the URL of a store gives it. */
export const ownCallers: ClientPlan = { merge: false, connections: 1 }

/** The plan of one of several drivers: each opens the store at least once. */
export function partOfPlan({ merge, connections }: ClientPlan, share: Share): ClientPlan {
  return { merge, connections: Math.max(1, partOf(connections, share)) }
}

/** Where callers reach a store. */
export interface ClientPlace extends ClientPlan {
  readonly store: Store<Bytes>
  /** Opens it once more. @default one connection is all */
  readonly again?: (() => Promise<Store<Bytes>>) | undefined
  /** Where the records are, from the outermost namespace on. */
  readonly namespace: readonly string[]
  readonly timeoutMs: number
}

/** A store as callers have it, and the calls that reach it. */
export class Clients {
  /** Those that are not in use: the last one is taken first, so that few callers use few connections. */
  readonly #free: KeyValue<string, Bytes>[] = []
  readonly #place: ClientPlace
  readonly #counted: readonly CountedStore[]
  readonly #opened: readonly Store<Bytes>[]
  /** A further one, for work that belongs to no caller. */
  readonly base: KeyValue<string, Bytes>
  #made = 0

  private constructor(place: ClientPlace, opened: readonly Store<Bytes>[]) {
    this.#place = place
    this.#opened = opened
    this.#counted = [place.store, ...opened].map((store) => new CountedStore(store))
    this.base = keysIn((this.#counted[0] as CountedStore).store, place, place.merge)
    if (place.merge)
      this.#free.push(this.base, ...this.#counted.slice(1).map(({ store }) => keysIn(store, place, true)))
  }

  /**
   * Open the store as often as the plan says.
   *
   * @throws {StoreError} `UNSUPPORTED` if it cannot be opened again; or the error of opening it
   */
  static async open(place: ClientPlace): Promise<Clients> {
    const opened: Store<Bytes>[] = []
    try {
      const { again, connections } = place
      if (connections > 1) await signShared(keysIn(place.store, place, place.merge))
      if (connections > 1 && again === undefined) throw cannotReopen(place.store.name)
      const more = Array.from({ length: connections - 1 }, () => again?.() as Promise<Store<Bytes>>)
      for (const one of await Promise.allSettled(more)) {
        if (one.status === 'rejected') throw one.reason
        opened.push(one.value)
      }
      const [second] = opened
      if (second !== undefined && !(await isShared(keysIn(second, place, place.merge))))
        throw notShared(place.store.name)
      return new Clients(place, opened)
    } catch (error) {
      await Promise.all(opened.map((store) => store.close()))
      throw error
    }
  }

  /** Number of calls that reached the store; each may hold several keys. */
  get calls(): number {
    return this.#counted.reduce((sum, { calls }) => sum + calls, 0)
  }

  /** The namespace of the records, for a caller. One that merges serves many callers. */
  take(): KeyValue<string, Bytes> {
    if (!this.#place.merge) return this.#free.pop() ?? this.#make()
    const next = this.#free.shift() as KeyValue<string, Bytes>
    this.#free.push(next)
    return next
  }

  /** The caller has its answer. */
  give(keys: KeyValue<string, Bytes>): void {
    if (!this.#place.merge) this.#free.push(keys)
  }

  /** Close the stores that were opened here. */
  async close(): Promise<void> {
    await Promise.all(this.#opened.map((store) => store.close()))
  }

  #make(): KeyValue<string, Bytes> {
    const { store } = this.#counted[this.#made++ % this.#counted.length] as CountedStore
    return keysIn(store, this.#place)
  }
}

/** A store that is open, and whose URL is not known, has no further connections. */
export function cannotReopen(name: string): StoreError {
  const message = `${name} is an open store without a URL, so it cannot be opened again. Leave out --connections, or name the store by its URL.`
  return new StoreError('UNSUPPORTED', message)
}

function notShared(name: string): StoreError {
  const message = `${name} keeps its records in the process that opened it, so it has no further connections. Leave out --connections.`
  return new StoreError('UNSUPPORTED', message)
}
