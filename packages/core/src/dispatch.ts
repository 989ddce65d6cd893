import { type Awaitable, isPromise } from './awaitable.ts'
import { abortError, timeoutError } from './call.ts'
import type { Capabilities } from './capabilities.ts'
import { Coalescer } from './coalescer.ts'
import type { ComposeOptions } from './compose.ts'
import { isStoreError, StoreError, toStoreError } from './errors.ts'
import { splitMutations, splitReads } from './split.ts'
import type { CallOptions, Mutation, Read, ReadResult, Store, WriteResult } from './store.ts'

/** Marks a store that dispatches already, so that a composed store can be composed again. */
const dispatching = new WeakSet<object>()

/**
 * What core puts next to every adapter: the gate that lets no call out whose caller was answered already, marks
 * writes as sent, refuses over-long values before the wire, cuts batches at the adapter's limits, and merges
 * concurrent single calls (`Coalescer`).
 */
export function dispatch<V, C extends Capabilities, N>(
  store: Store<V, C, N>,
  options: ComposeOptions,
): Store<V, C, N> {
  if (dispatching.has(store)) return store
  const { batch } = store.capabilities
  const coalesce = options.coalesce === false ? false : batch.coalesce
  const out = new Exit(store)
  const merge = coalesce === false ? undefined : new Coalescer(out, coalesce, batch)
  const dispatched: Store<V, C, N> = {
    name: store.name,
    capabilities: store.capabilities,
    // asked for anew: a store that loads its driver lazily makes it when somebody wants it
    get native() {
      return store.native
    },
    read(reads, call) {
      const only = reads[0]
      if (reads.length === 1 && merge !== undefined) return merge.read(only as Read, call)
      if (reads.length <= batch.maxItems) return out.read(reads, call)
      return joined(splitReads(reads, batch), (part) => out.read(part, call))
    },
    write(mutations, call) {
      if (mutations.length === 1 && merge !== undefined) return merge.write(mutations[0] as Mutation<V>, call)
      return writeInParts(out, mutations, batch, call)
    },
    scan: (range, call) => store.scan(range, call),
    close: () => store.close(),
  }
  dispatching.add(dispatched)
  return dispatched
}

/** The way out to the adapter. */
export class Exit<V> {
  readonly #store: Store<V>

  constructor(store: Store<V>) {
    this.#store = store
  }

  read(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<V>[]> {
    refuseEnded(call, false)
    return this.#store.read(reads, call)
  }

  write(mutations: readonly Mutation<V>[], call: CallOptions): Awaitable<readonly WriteResult[]> {
    refuseEnded(call, true)
    const tooLarge = this.#tooLarge(mutations)
    if (tooLarge !== undefined) return this.#writeOthers(mutations, tooLarge, call)
    call.sent = true
    return this.#store.write(mutations, call)
  }

  #tooLarge(mutations: readonly Mutation<V>[]): ReadonlyMap<Mutation<V>, StoreError> | undefined {
    let found: Map<Mutation<V>, StoreError> | undefined
    const { maxValueBytes } = this.#store.capabilities
    for (const mutation of mutations) {
      if (mutation.type !== 'set' || sizeOf(mutation.value) <= maxValueBytes) continue
      found ??= new Map()
      const message = `The value has ${sizeOf(mutation.value)} bytes, ${this.#store.name} takes ${maxValueBytes}.`
      found.set(
        mutation,
        new StoreError('VALUE_TOO_LARGE', message, { key: mutation.key, store: this.#store.name }),
      )
    }
    return found
  }

  #writeOthers(
    mutations: readonly Mutation<V>[],
    tooLarge: ReadonlyMap<Mutation<V>, StoreError>,
    call: CallOptions,
  ): Awaitable<readonly WriteResult[]> {
    const others = mutations.filter((mutation) => !tooLarge.has(mutation))
    const place = (results: readonly WriteResult[]): readonly WriteResult[] => {
      let next = 0
      return mutations.map((mutation) => tooLarge.get(mutation) ?? (results[next++] as WriteResult))
    }
    if (others.length === 0 || this.#store.capabilities.batch.atomicity === 'all') {
      return mutations.map((mutation) => tooLarge.get(mutation) ?? notAttempted(mutation.key))
    }
    call.sent = true
    const written = this.#store.write(others, call)
    return isPromise(written) ? written.then(place) : place(written)
  }
}

/** Throw if the caller was answered already: then nothing may start any more. */
function refuseEnded(call: CallOptions, isWrite: boolean): void {
  if (call.signal?.aborted === true) throw abortError(call, isWrite)
  if (call.settled === true) throw timeoutError(call, isWrite)
}

function notAttempted(key: string): StoreError {
  return new StoreError(
    'INVALID_VALUE',
    'Not written: the batch takes effect as a whole, and another item of it was refused.',
    { key },
  )
}

function sizeOf(value: unknown): number {
  return value instanceof Uint8Array ? value.length : 0
}

function writeInParts<V>(
  out: Exit<V>,
  mutations: readonly Mutation<V>[],
  batch: Capabilities['batch'],
  call: CallOptions,
): Awaitable<readonly WriteResult[]> {
  const parts = splitMutations(mutations, batch)
  if (parts.length === 1) return out.write(mutations, call)
  if (batch.atomicity === 'all') {
    const message = `The batch is larger than this store takes as a whole (${batch.maxItems} items, ${batch.maxBytes} bytes). Write it in parts.`
    throw new StoreError('INVALID_ARGUMENT', message)
  }
  return joined(parts, (part) => out.write(part, call))
}

/** Results of the parts in order. A part that fails as a whole fails item by item, so that the others are told. */
async function joined<T, R>(
  parts: readonly (readonly T[])[],
  run: (part: readonly T[]) => Awaitable<readonly R[]>,
): Promise<R[]> {
  const results = await Promise.all(
    parts.map(async (part): Promise<readonly R[]> => {
      try {
        return await run(part)
      } catch (error) {
        if (parts.length === 1) throw error
        const failure = isStoreError(error) ? error : toStoreError(error, {})
        return part.map(() => failure as R)
      }
    }),
  )
  return results.flat()
}
