import {
  type Awaitable,
  type Bytes,
  type CallOptions,
  isConditionFailed,
  isEntry,
  isNotModified,
  isStoreError,
  type Mutation,
  newVersion,
  type Read,
  type ReadResult,
  type StoreError,
  toStoreError,
  type Version,
  type WriteResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import type { Random } from '@unikv/test-kit/schedules'
import type { Found, Operation } from './history.ts'

/** Keys that are counters: only `increment` changes them. */
export const counters = ['counter one', 'COUNTER/2']
/** Keys that everybody writes; one is too long for a name. */
export const keys = ['a', 'B/c', 'é'.repeat(90)]

/** What a worker tells. */
export interface Notes {
  /** A number that ascends with time, for all workers alike. */
  now(): number
  /** A write begins. Its end is told by `ended`. */
  began(operation: Operation): void
  ended(operation: Operation): void
  /** An increment begins, and is acknowledged. */
  counts(key: string): void
  counted(key: string): void
  /** A caller got an error. None is expected. */
  failed(error: StoreError): void
}

/** The part of a store that a worker needs. */
export interface Worked {
  read(reads: readonly Read[], options: CallOptions): Awaitable<readonly ReadResult<Bytes>[]>
  write(mutations: readonly Mutation<Bytes>[], options: CallOptions): Awaitable<readonly WriteResult[]>
}

/** Write and delete at random, plainly and with conditions, one after the other. */
export async function work(store: Worked, random: Random, notes: Notes, operations: number): Promise<void> {
  for (let i = 0; i < operations; i++) {
    if (random.next() < 0.25) await count(store, random.pick(counters), notes)
    else await change(store, random, notes)
  }
}

async function count(store: Worked, key: string, notes: Notes): Promise<void> {
  notes.counts(key)
  const result = await one(store, { type: 'increment', key, by: 1, initial: 0, version: newVersion() })
  if (isStoreError(result)) notes.failed(result)
  else notes.counted(key)
}

async function change(store: Worked, random: Random, notes: Notes): Promise<void> {
  const key = random.pick(keys)
  const replaced = random.next() < 0.5 ? await presentVersion(store, key) : undefined
  const version = newVersion()
  const value = random.next() < 0.25 ? undefined : `${version} ${'x'.repeat(random.below(40))}`
  const startedAt = notes.now()
  const operation: Operation = { key, version, value, replaced, startedAt, endedAt: Number.POSITIVE_INFINITY }
  notes.began(operation)
  const condition = { key, version, ifVersion: replaced }
  const result = await one(
    store,
    value === undefined
      ? { ...condition, type: 'delete' }
      : { ...condition, type: 'set', value: Buffer.from(value) },
  )
  operation.endedAt = notes.now()
  operation.refused = isConditionFailed(result) || isStoreError(result)
  notes.ended(operation)
  if (isStoreError(result)) notes.failed(result)
}

async function presentVersion(store: Worked, key: string): Promise<Version | null> {
  const [found] = await store.read([{ key, head: true }], callOptions())
  return found !== undefined && isNotModified(found) ? (found.version ?? null) : null
}

async function one(store: Worked, mutation: Mutation<Bytes>): Promise<WriteResult> {
  try {
    const [result] = await store.write([mutation], callOptions())
    return result as WriteResult
  } catch (error) {
    return toStoreError(error, {})
  }
}

/** What is there, read at once; an error is a finding of its own. */
export function find(store: Worked, key: string): Found | StoreError | undefined {
  const [found] = store.read([{ key }], callOptions()) as readonly ReadResult<Bytes>[]
  if (found === undefined || isStoreError(found)) return found
  if (!isEntry(found)) throw new Error('A read brings the value.')
  return { version: found.version as Version, value: Buffer.from(found.value).toString() }
}
