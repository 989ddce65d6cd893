import type { Awaitable } from '../contract/awaitable.ts'
import { endedBy } from '../contract/call-errors.ts'
import type { Capabilities } from '../contract/capabilities.ts'
import { StoreError, toStoreError } from '../contract/errors.ts'
import type { CallOptions, Mutation, Read, ReadResult, Store, WriteResult } from '../contract/store.ts'
import { writePrepared } from '../contract/write-prepared.ts'
import { isBytes } from '../platform/realms.ts'
import { Coalescer } from './coalescer.ts'
import { PartCall } from './parts.ts'
import { itemBytes, split } from './split.ts'

/** How a stack meets its store. */
export interface ComposeOptions {
  /** Merge concurrent single calls into batches where the store declares it. @default true */
  readonly coalesce?: boolean | undefined
}

/**
 * The part of core next to every adapter: the gate that lets no call out whose caller was answered already, marks
 * writes as sent, rejects values that are too long or that the store cannot hold before they are sent, cuts batches at the adapter's limits, and merges
 * concurrent single calls (`Coalescer`).
 */
export function dispatch<V>(store: Store<V>, options: ComposeOptions): Pick<Store<V>, 'read' | 'write'> {
  const { batch } = store.capabilities
  const coalesce = options.coalesce === false ? false : batch.coalesce
  const out = new Exit(store)
  const merge = coalesce === false ? undefined : new Coalescer(out, coalesce, batch)
  return {
    read(reads, call) {
      const only = reads[0]
      if (reads.length === 1 && merge !== undefined) return merge.read(only as Read, call)
      if (reads.length <= batch.maxItems) return out.read(reads, call)
      return joined(split(reads, batch, itemBytes), call, (part, its) => out.read(part, its))
    },
    write(mutations, call) {
      if (mutations.length !== 1) return writeInParts(out, mutations, batch, call)
      const only = mutations[0] as Mutation<V>
      // Before it is merged: with others it could be refused at their cost.
      const refusal = out.refusal(only)
      if (refusal !== undefined) return [refusal]
      return merge === undefined ? out.write(mutations, call) : merge.write(only, call)
    },
  }
}

/** The way out to the adapter. */
class Exit<V> {
  declare readonly capabilities: Capabilities
  readonly #store: Store<V>

  constructor(store: Store<V>) {
    this.capabilities = store.capabilities
    this.#store = store
  }

  read(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<V>[]> {
    refuseEnded(call, false)
    return this.#store.read(reads, call)
  }

  /** Write what was looked at already. */
  write(mutations: readonly Mutation<V>[], call: CallOptions): Awaitable<readonly WriteResult[]> {
    refuseEnded(call, true)
    call.sent = true
    return this.#store.write(mutations, call)
  }

  /** Look at each, and write those that nothing speaks against. */
  writeChecked(mutations: readonly Mutation<V>[], call: CallOptions): Awaitable<readonly WriteResult[]> {
    const prepared = mutations.map((mutation) => this.refusal(mutation) ?? mutation)
    return writePrepared(this, prepared, call)
  }

  /** Why the adapter is not asked to write this at all, if so. */
  refusal(mutation: Mutation<V>): StoreError | undefined {
    if (mutation.type !== 'set') return undefined
    const { name, capabilities } = this.#store
    const value: unknown = mutation.value
    const place = { key: mutation.key, store: name }
    if (!isBytes(value)) {
      if (capabilities.documents) return undefined
      const message = `${name} stores bytes: pass a Uint8Array, or add a codec such as json() or text().`
      return new StoreError('INVALID_VALUE', message, place)
    }
    if (value.length <= capabilities.maxValueBytes) return undefined
    const message = `The value has ${value.length} bytes; ${name} allows ${capabilities.maxValueBytes}.`
    return new StoreError('VALUE_TOO_LARGE', message, place)
  }
}

/** Throw if the caller was answered already: then nothing may start any more. */
function refuseEnded(call: CallOptions, isWrite: boolean): void {
  const end = endedBy(call, isWrite)
  if (end !== undefined) throw end
}

function writeInParts<V>(
  out: Exit<V>,
  mutations: readonly Mutation<V>[],
  batch: Capabilities['batch'],
  call: CallOptions,
): Awaitable<readonly WriteResult[]> {
  const parts = split(mutations, batch, itemBytes)
  if (parts.length === 1) return out.writeChecked(mutations, call)
  if (batch.atomicity === 'all') {
    const message = `An atomic batch holds at most ${batch.maxItems} items and ${batch.maxBytes} bytes. Split the batch.`
    throw new StoreError('INVALID_ARGUMENT', message)
  }
  return joined(parts, call, (part, its) => out.writeChecked(part, its))
}

/** Results of the parts in order. A part that fails as a whole fails item by item, so that the others are told. */
async function joined<T, R>(
  parts: readonly (readonly T[])[],
  call: CallOptions,
  run: (part: readonly T[], its: CallOptions) => Awaitable<readonly R[]>,
): Promise<R[]> {
  const calls: PartCall[] = []
  for (const { length } of parts) calls.push(new PartCall(call, length, calls))
  call.parts = calls
  const results = await Promise.all(parts.map((part, i) => ran(part, calls[i] as PartCall, run)))
  return results.flat()
}

async function ran<T, R>(
  part: readonly T[],
  its: PartCall,
  run: (part: readonly T[], its: CallOptions) => Awaitable<readonly R[]>,
): Promise<readonly R[]> {
  let results: readonly R[]
  try {
    results = await run(part, its)
  } catch (error) {
    const failure = toStoreError(error, { code: its.sent ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE' })
    results = part.map(() => failure as R)
  }
  its.results = results
  return results
}
