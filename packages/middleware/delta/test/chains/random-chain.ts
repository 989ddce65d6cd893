import {
  type Bytes,
  compose,
  type Entry,
  isEntry,
  isStoreError,
  newVersion,
  type ReadResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import type { Random } from '@unikv/test-kit/schedules'
import { type DeltaOptions, delta } from '../../src/index.ts'

/** All records of a dataset by key. */
export type Records = ReadonlyMap<string, Entry<Bytes>>

/** What a key held at one time, and all records there were then. */
export interface Moment {
  readonly value: Bytes
  readonly records: Records
}

/** The life of two keys. */
export interface Chains {
  readonly options: DeltaOptions
  /** Of the first key, oldest first: at least one. */
  readonly moments: readonly Moment[]
  /** A value of the second key that is in the records throughout. */
  readonly other: Bytes
}

export const chainKey = 'the key'
export const otherKey = 'another'

/** Write values of two keys, each a random edit of the one before. */
export async function randomChains(random: Random): Promise<Chains> {
  const options: DeltaOptions = {
    minBytes: 0,
    maxDeltas: random.pick([1, 3, 8, 32]),
    maxDeltaShare: 1,
    maxChainShare: random.pick([0.5, 4]),
    inlineBytes: random.pick([0, 60, 200, 2000]),
  }
  const store = memory()
  const stack = compose(store, [delta(options)])
  const write = async (key: string, value: Bytes): Promise<void> => {
    const [result] = await stack.write([{ type: 'set', key, version: newVersion(), value }], callOptions())
    if (isStoreError(result)) throw result
  }
  const first = text(random, 100 + random.below(500))
  let value = first
  let other = edited(first, random)
  const moments: Moment[] = []
  for (let left = 1 + random.below(12); left > 0; left--) {
    await write(chainKey, value)
    await write(otherKey, other)
    // The removal of old parts goes on after the answer.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    moments.push({ value, records: new Map(store.native) })
    value = edited(value, random)
    other = edited(other, random)
  }
  return { options, moments, other: value }
}

/** The value of a key among these records, or the error. */
export type Reader = (records: Records, key: string, options: DeltaOptions) => Promise<Bytes | undefined>

/** The value by a layer that knows nothing yet. */
export const read: Reader = async (records, key, options) =>
  valueOf(await readThrough(storeOf(records), key, options))

/** The value by a layer that has read another state before. */
export function readAfter(before: Records): Reader {
  return async (records, key, options) => {
    const store = storeOf(before)
    const stack = compose(store, [delta(options)])
    await stack.read([{ key }], callOptions())
    refill(store, records)
    const [result] = await stack.read([{ key }], callOptions())
    return valueOf(result)
  }
}

async function readThrough(
  store: MemoryStore,
  key: string,
  options: DeltaOptions,
): Promise<ReadResult<Bytes>> {
  const [result] = await compose(store, [delta(options)]).read([{ key }], callOptions())
  return result
}

function valueOf(result: ReadResult<Bytes>): Bytes | undefined {
  if (isStoreError(result)) throw result
  return isEntry(result) ? result.value : undefined
}

function storeOf(records: Records): MemoryStore {
  const store = memory()
  refill(store, records)
  return store
}

function refill(store: MemoryStore, records: Records): void {
  const old = Array.from(
    store.native.keys(),
    (key) => ({ type: 'delete', key, version: newVersion() }) as const,
  )
  const sets = Array.from(
    records,
    ([key, entry]) => ({ type: 'set', key, value: entry.value, version: entry.version as string }) as const,
  )
  void store.write(old, callOptions())
  void store.write(sets, callOptions())
}

const letters = 'abcdefgh \n'

function text(random: Random, length: number): Bytes {
  return Uint8Array.from({ length }, () => letters.charCodeAt(random.below(letters.length)))
}

/** Overwritten, inserted into, cut, moved, as it is, or another one. */
export function edited(value: Bytes, random: Random): Bytes {
  const at = random.below(value.length + 1)
  const some = text(random, 1 + random.below(20))
  const dice = random.below(20)
  if (dice < 10) {
    const copy = new Uint8Array(value)
    copy.set(some.subarray(0, Math.max(0, value.length - at)), at)
    return copy
  }
  if (dice < 13) return Buffer.concat([value.subarray(0, at), some, value.subarray(at)])
  if (dice < 16) return Buffer.concat([value.subarray(0, at), value.subarray(at + some.length)])
  if (dice < 18) return Buffer.concat([value.subarray(at), value.subarray(0, at)])
  return dice === 18 ? value : text(random, 100 + random.below(300))
}
