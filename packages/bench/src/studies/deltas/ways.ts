import {
  type Bytes,
  type Capabilities,
  isEntry,
  isStoreError,
  type KeyValue,
  keyValue,
  type Mutation,
  type SetMutation,
  type Store,
  StoreError,
} from '@unikv/core'
import { valueDelta } from '@unikv/core/adapter'
import { type DeltaOptions, type DeltaStats, delta } from '@unikv/delta'
import { benchNamespace } from '../../run/run-namespace.ts'
import { throughStore } from '../../run/through-store.ts'

/** A store as a writer or a reader has it, and what went over the way to it. */
export interface Opened {
  readonly keys: KeyValue<string, Bytes>
  readonly traffic: Traffic
}

/** One way of writing: a process that writes, one that reads what it does not know, and one that has read before. */
export interface WayUnderTest {
  readonly writer: Opened
  readonly reader: Opened
  readonly knowing: Opened
  /** Resolves when nothing is done after an answer any more. */
  settled(): Promise<unknown>
  /** Values that were sent as deltas so far. */
  deltas(): number
}

/** The run's namespace of a store. */
export interface WayPlace {
  readonly store: Store<Bytes>
  readonly runId: string
  readonly timeoutMs: number
}

/** Whole values. */
export function plainWay(place: WayPlace): WayUnderTest {
  const open = (): Opened => {
    const traffic = new Traffic(place.store)
    return { keys: ofRun(keyValue(traffic.store, [], { timeoutMs: place.timeoutMs }), place), traffic }
  }
  return { writer: open(), reader: open(), knowing: open(), settled: async () => {}, deltas: () => 0 }
}

/**
 * Through the delta layer.
 *
 * @throws {StoreError} `UNSUPPORTED` or `INVALID_CONFIG` if the layer cannot stand on the store
 */
export function deltaWay(place: WayPlace, maxDeltas: number): WayUnderTest {
  const underWay: Promise<unknown>[] = []
  const open = (options: DeltaOptions): Opened & { readonly stats: () => readonly DeltaStats[] } => {
    const traffic = new Traffic(conditional(place.store))
    const layer = delta({ maxDeltas, background: (work) => underWay.push(work), ...options })
    return {
      keys: ofRun(keyValue(traffic.store, [layer], { timeoutMs: place.timeoutMs }), place),
      traffic,
      stats: () => layer.stats(),
    }
  }
  const writer = open({})
  return {
    writer,
    reader: open({ memoryBytes: 0 }),
    knowing: open({}),
    settled: async () => Promise.all(underWay.splice(0)),
    deltas: () => writer.stats().reduce((sum, stats) => sum + stats.deltas + stats.sent, 0),
  }
}

type Conditional = Capabilities & { readonly conditionalWrite: true }

function conditional(store: Store<Bytes>): Store<Bytes, Conditional> {
  if (store.capabilities.conditionalWrite) return store as Store<Bytes, Conditional>
  const message = `${store.name} has no conditional writes, which deltas need. Choose another store.`
  throw new StoreError('UNSUPPORTED', message)
}

function ofRun(keys: KeyValue<string, Bytes>, { runId }: WayPlace): KeyValue<string, Bytes> {
  return keys.namespace(benchNamespace).namespace(runId)
}

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
    this.store = throughStore(inner, {
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
    })
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

  /** A store that applies deltas is sent one where it says the very value of this set. */
  #sentFor({ value, facts }: SetMutation<Bytes>): number {
    const delta = this.store.capabilities.deltas ? valueDelta.of(facts) : undefined
    return delta?.of === value ? delta.bytes.length : value.length
  }
}
