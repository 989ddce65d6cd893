import {
  type Bytes,
  isStoreError,
  type KeyValue,
  type Page,
  type Pages,
  type Store,
  StoreError,
} from '@unikv/core'
import { formatExact } from '../report/words.ts'
import { isShared, keysIn, type Reopening, signShared } from './opened.ts'
import { partOf, type Share } from './share.ts'

/** A store whose calls are counted: each read, each write and each page of a listing, with however many keys. Closing it leaves the store open. */
class CountedStore {
  readonly store: Store<Bytes>
  /** Close the store itself. */
  readonly end: () => Promise<void>
  calls = 0

  constructor(inner: Store<Bytes>) {
    this.end = () => inner.close()
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
  /** How many times the store is opened; callers are spread over that. `each`: once for each caller that a run has. */
  readonly connections: number | 'each'
}

/** Callers of their own, over the connections that the URL of a store gives it. */
export const ownCallers: ClientPlan = { merge: false, connections: 1 }

/** The plan of one of several drivers: each opens the store at least once. */
export function partOfPlan({ merge, connections }: ClientPlan, share: Share): ClientPlan {
  return {
    merge,
    connections: connections === 'each' ? connections : Math.max(1, partOf(connections, share)),
  }
}

/** Connections of callers, and the node that they go to; `null`: all nodes of the URL. Plain data. */
export interface ConnectionCount {
  readonly node: string | null
  readonly count: number
}

/** Where callers reach a store. */
export interface ClientPlace extends ClientPlan {
  readonly store: Store<Bytes>
  /** Opens it once more. @default one connection is all */
  readonly again?: Reopening | undefined
  /** Where the records are, from the outermost namespace on. */
  readonly namespace: readonly string[]
  readonly timeoutMs: number
}

/** So many stores are opened at a time: a server refuses crowds that it would serve one by one. */
const openedAtOnce = 25

/** A store as callers have it, and the calls that reach it. */
export class Clients {
  /** Those that are not in use: the last one is taken first, so that few callers use few connections. */
  #free: KeyValue<string, Bytes>[] = []
  readonly #place: ClientPlace
  readonly #first: CountedStore
  /** Those that were opened here, in the order of their numbers. */
  #more: readonly CountedStore[] = []
  /** Those of the callers. */
  #counted: readonly CountedStore[]
  /** Calls by connections that are closed. */
  #earlierCalls = 0
  /** A further one, for work that belongs to no caller. */
  readonly base: KeyValue<string, Bytes>
  #made = 0

  private constructor(place: ClientPlace) {
    this.#place = place
    this.#first = new CountedStore(place.store)
    this.#counted = [this.#first]
    this.base = keysIn(this.#first.store, place, place.merge)
    this.#freed()
  }

  /**
   * Open the store as often as the plan says.
   *
   * @throws {StoreError} `UNSUPPORTED` if it cannot be opened again; or the error of opening it
   */
  static async open(place: ClientPlace): Promise<Clients> {
    const clients = new Clients(place)
    const { connections, again, store } = place
    if (connections === 1) return clients
    if (again === undefined) throw cannotReopen(store.name)
    await signShared(keysIn(store, place, place.merge))
    if (connections !== 'each') await clients.#connect(connections)
    return clients
  }

  /**
   * With a connection for each caller: open or close some, so that there are as many as callers.
   *
   * @throws {StoreError} which of them was refused, and why; those of before stay open
   */
  async reach(callers: number): Promise<void> {
    if (this.#place.connections === 'each' && callers !== this.#counted.length) await this.#connect(callers)
  }

  /** The connections of the callers, by the nodes that they go to. */
  get connections(): readonly ConnectionCount[] {
    const { again } = this.#place
    const names = again?.nodes ?? []
    if (names.length < 2) return [{ node: null, count: this.#counted.length }]
    const counts = new Map(names.map((node) => [node, 0]))
    for (const index of this.#more.keys()) {
      const node = again?.nodeOf(index) as string
      counts.set(node, (counts.get(node) ?? 0) + 1)
    }
    return [...counts].map(([node, count]) => ({ node, count }))
  }

  /** Callers use the store that was open already, too, unless each gets a node of its own. */
  async #connect(callers: number): Promise<void> {
    const isSpread = (this.#place.again?.nodes.length ?? 0) > 1
    const wanted = isSpread ? callers : callers - 1
    const kept = this.#more.slice(0, wanted)
    const added = await this.#opened(kept.length, wanted).catch((error: unknown) => {
      throw refused(error, this.#place.store.name, callers)
    })
    await this.#closeAll(this.#more.slice(wanted))
    this.#more = [...kept, ...added]
    this.#counted = isSpread ? this.#more : [this.#first, ...this.#more]
    this.#freed()
  }

  async #opened(from: number, to: number): Promise<readonly CountedStore[]> {
    const opened: CountedStore[] = []
    for (let first = from; first < to; first += openedAtOnce) {
      const numbers = Array.from({ length: Math.min(openedAtOnce, to - first) }, (_, index) => first + index)
      const ended = await Promise.allSettled(numbers.map((number) => this.#openOne(number)))
      opened.push(...ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])))
      const failed = ended.find((one) => one.status === 'rejected')
      if (failed === undefined) continue
      await this.#closeAll(opened)
      throw failed.reason
    }
    return opened
  }

  /** A store that another one shows, with its connection: some open it with their first call. */
  async #openOne(number: number): Promise<CountedStore> {
    const store = await (this.#place.again as Reopening).open(number)
    try {
      if (await isShared(keysIn(store, this.#place, this.#place.merge))) return new CountedStore(store)
      throw notShared(this.#place.store.name)
    } catch (error) {
      await store.close().catch(() => {})
      throw error
    }
  }

  #freed(): void {
    this.#made = 0
    this.#free = this.#place.merge
      ? this.#counted.map((one) => (one === this.#first ? this.base : keysIn(one.store, this.#place, true)))
      : []
  }

  async #closeAll(some: readonly CountedStore[]): Promise<void> {
    for (const { calls } of some) this.#earlierCalls += calls
    await Promise.allSettled(some.map((one) => one.end()))
  }

  /** Number of calls that reached the store; each may hold several keys. */
  get calls(): number {
    return [this.#first, ...this.#more].reduce((sum, { calls }) => sum + calls, this.#earlierCalls)
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
    await Promise.all(this.#more.map((one) => one.end()))
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

/** A server that takes no more connections, or too few files for them. */
function refused(error: unknown, name: string, callers: number): unknown {
  if (!isStoreError(error) || error.code === 'UNSUPPORTED') return error
  const message = `${name} has no connection for each of ${formatExact(callers)} callers: one was refused. ${error.message}`
  return new StoreError(error.code, message, { cause: error })
}

function notShared(name: string): StoreError {
  const message = `${name} keeps its records in the process that opened it, so it has no further connections. Leave out --connections.`
  return new StoreError('UNSUPPORTED', message)
}
