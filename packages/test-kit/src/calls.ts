import {
  type Bytes,
  isStoreError,
  type Mutation,
  newVersion,
  type Read,
  type ReadResult,
  type Store,
  type Version,
  type WriteResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'

/** A mutation of any kind, for which {@link mutate} makes the version if it has none. */
export type Unversioned<M> = M extends unknown
  ? Omit<M, 'version'> & { readonly version?: Version | undefined }
  : never

/**
 * One mutation, straight to the store, with a deadline of `timeoutMs` milliseconds from now. Resolves to what the store
 * answers, be it an error; rejects if the store throws.
 */
export async function mutate<V>(
  store: Store<V>,
  mutation: Unversioned<Mutation<V>>,
  timeoutMs = 10_000,
): Promise<WriteResult> {
  const call = callOptions({ deadlineAt: performance.now() + timeoutMs })
  const full = { version: newVersion(), ...mutation } as Mutation<V>
  return (await store.write([full], call))[0] as WriteResult
}

/** Several mutations as one call, straight to the store. Resolves to what it answers; rejects if the store throws. */
export async function writeAll<V>(
  store: Store<V>,
  mutations: readonly Unversioned<Mutation<V>>[],
  call = callOptions(),
): Promise<readonly WriteResult[]> {
  return store.write(
    mutations.map((mutation) => ({ version: newVersion(), ...mutation }) as Mutation<V>),
    call,
  )
}

/** One mutation, as {@link writeAll} makes several. */
export async function writeOne<V>(
  store: Store<V>,
  mutation: Unversioned<Mutation<V>>,
  call = callOptions(),
): Promise<WriteResult> {
  return (await writeAll(store, [mutation], call))[0] as WriteResult
}

/** Sets a text, and resolves to its version; rejects with the error that the store answers. */
export async function setText(
  store: Store<Bytes>,
  key: string,
  text: string,
  expiresAt?: number | 'keep',
  call = callOptions(),
): Promise<Version> {
  const version = newVersion()
  const set = { type: 'set', key, value: Buffer.from(text), version, expiresAt } as const
  const result = await writeOne(store, set, call)
  if (isStoreError(result)) throw result
  return version
}

/** Reads one key, straight from the store. */
export async function readOne<V>(
  store: Store<V>,
  key: string,
  how: Omit<Read, 'key'> = {},
  call = callOptions(),
): Promise<ReadResult<V>> {
  return (await store.read([{ key, ...how }], call))[0]
}

/** The text of a key; `undefined` if it is absent. Rejects with the error that the store answers. */
export async function readText(
  store: Store<Bytes>,
  key: string,
  call = callOptions(),
): Promise<string | undefined> {
  const found = await readOne(store, key, {}, call)
  if (isStoreError(found)) throw found
  return textIn(found)
}

/** The text of an entry; `undefined` of anything else. */
export function textIn(found: ReadResult<Bytes>): string | undefined {
  return found !== undefined && 'value' in found ? Buffer.from(found.value).toString() : undefined
}

/** The keys that a scan lists. */
export async function keysOf(store: Store<Bytes>, prefix = '', pageSize = 100): Promise<string[]> {
  const keys: string[] = []
  for await (const { entries } of store.scan({ prefix, pageSize, values: false }, callOptions()))
    keys.push(...entries.map(({ key }) => key))
  return keys
}

/** The error that work ends with; `undefined` if it succeeds. */
export async function errorOf(work: () => unknown): Promise<Error | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error as Error
  }
}

/**
 * The code of the StoreError that came instead of a result, thrown or not, or instead of the first of several;
 * `undefined` if none came.
 */
export async function codeOf(work: Promise<unknown> | (() => unknown)): Promise<string | undefined> {
  const run = typeof work === 'function' ? async () => work() : () => work
  const answer = await run().catch((error: unknown) => error)
  const result: unknown = Array.isArray(answer) ? answer[0] : answer
  return isStoreError(result) ? result.code : undefined
}

/** The codes of the errors that may not be tried again with which work ends, or its items; `none` for anything else. */
export async function refusals(work: Promise<unknown>): Promise<readonly string[]> {
  const answer = await work.catch((error: unknown) => (error as { results?: unknown }).results ?? error)
  const codes = [answer].flat().map((one) => (isStoreError(one) && !one.retryable ? one.code : 'none'))
  return [...new Set(codes)]
}

/** Keeps this thread from its work for `ms`, as a long computation does, but leaves the processor to others. */
export function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** Options of a KeyValue that sends each call by itself. */
export const apart: { readonly coalesce: false } = { coalesce: false }

/** The outcome of each item of a batch, whether or not all went well. */
export async function resultsOf(work: Promise<readonly unknown[]>): Promise<readonly unknown[]> {
  return work.catch((error: unknown) => {
    if (isStoreError(error) && error.results !== undefined) return error.results
    throw error
  })
}
