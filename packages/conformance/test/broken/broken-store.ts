import { type ConformanceOptions, type TestClock, testClock } from '@unikv/conformance'
import {
  type Awaitable,
  type Bytes,
  type CallOptions,
  type Capabilities,
  type Entry,
  isEntry,
  type Mutation,
  mapPages,
  type Page,
  type Read,
  type ReadResult,
  type ScanRange,
  type Store,
  StoreError,
  type Verbs,
  type WriteResult,
} from '@unikv/core'
import { memory } from '@unikv/core/memory'

/** A store with one fault, and the case that must find it. */
export interface BrokenStore {
  readonly fault: string
  readonly topic: string
  /** Title of a case that must fail. */
  readonly found: string
  /** The verbs that are broken. Called once a store. */
  readonly breaks: (inner: Sound, clock: TestClock) => Partial<Verbs<Bytes>>
  /** What it declares wrongly. */
  readonly declares?: Partial<Capabilities>
}

/** A sound store below the fault: memory, which answers at once, one item at a time. */
export interface Sound {
  readonly store: Store<Bytes>
  readonly read: (read: Read) => ReadResult<Bytes>
  /** The record of a key, if it is there. */
  readonly entry: (key: string) => Entry<Bytes> | undefined
  readonly write: (mutation: Mutation<Bytes>) => WriteResult
  readonly pages: (range: ScanRange) => Iterable<Page<Bytes>>
}

/** What the suite needs to open stores with this fault. */
export function brokenStores({ breaks, declares }: Pick<BrokenStore, 'breaks' | 'declares'>): Pick<
  ConformanceOptions,
  'clock' | 'open' | 'corrupt'
> & {
  clock: TestClock
} {
  const clock = testClock()
  const damaged = new WeakMap<Store<Bytes>, Set<string>>()
  return {
    clock,
    open: () => {
      const keys = new Set<string>()
      const inner = damageable(memory({ clock }), keys)
      const store = {
        ...inner,
        ...breaks(sound(inner), clock),
        capabilities: { ...inner.capabilities, ...declares },
      }
      damaged.set(store, keys)
      return store
    },
    corrupt: (store, key) => damaged.get(store)?.add(key),
  }
}

/** Verbs that go item by item. */
export function itemwise(
  inner: Sound,
  items: {
    read?: (read: Read) => Awaitable<ReadResult<Bytes>>
    write?: (mutation: Mutation<Bytes>) => Awaitable<WriteResult>
  },
): Partial<Verbs<Bytes>> {
  const { read = inner.read, write = inner.write } = items
  return {
    read: (reads) => together(reads.map((one) => read(one))),
    write: async (mutations) => {
      const results: WriteResult[] = []
      for (const mutation of mutations) results.push(await write(mutation))
      return results
    },
  }
}

/** Verbs that see other keys than were given. */
export function withKeys(inner: Sound, change: (key: string) => string): Partial<Verbs<Bytes>> {
  return itemwise(inner, {
    read: (read) => inner.read({ ...read, key: change(read.key) }),
    write: (mutation) => inner.write({ ...mutation, key: change(mutation.key) }),
  })
}

/** A listing of other pages. */
export function withPages(change: (range: ScanRange) => Iterable<Page<Bytes>>): Partial<Verbs<Bytes>> {
  return { scan: change }
}

/** Let others have their turn. */
export function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const callOptions: CallOptions = { deadlineAt: Number.POSITIVE_INFINITY }

function sound(store: Store<Bytes>): Sound {
  const read = (one: Read) => (store.read([one], callOptions) as ReadResult<Bytes>[])[0]
  return {
    store,
    read,
    entry: (key) => {
      const found = read({ key })
      return isEntry(found) ? found : undefined
    },
    write: (mutation) => (store.write([mutation], callOptions) as WriteResult[])[0] as WriteResult,
    pages: (range) => store.scan(range, callOptions) as Iterable<Page<Bytes>>,
  }
}

async function together<T>(results: readonly Awaitable<T>[]): Promise<T[]> {
  const all: T[] = []
  for (const result of results) all.push(await result)
  return all
}

/** Records can be damaged: these are read as errors until they are written again. */
function damageable(inner: Store<Bytes>, damaged: Set<string>): Store<Bytes> {
  const seen = <T>(key: string, found: T) => {
    if (found === undefined || !damaged.has(key)) return found
    return new StoreError('CORRUPT', 'The stored bytes are not a record of unikv.')
  }
  return {
    ...inner,
    read: (reads, call) =>
      (inner.read(reads, call) as ReadResult<Bytes>[]).map((found, i) => seen(reads[i]?.key ?? '', found)),
    write: (mutations, call) => {
      for (const { type, key } of mutations) if (type === 'set' || type === 'delete') damaged.delete(key)
      return inner.write(mutations, call)
    },
    scan: (range, call) =>
      mapPages(inner.scan(range, call), (page) => ({
        ...page,
        entries: page.entries.map(({ key, entry }) => ({ key, entry: seen(key, entry) })),
      })),
  }
}
