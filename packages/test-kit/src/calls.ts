import {
  isStoreError,
  type Mutation,
  newVersion,
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

/** The code of the StoreError that came instead of a result, thrown or not; `undefined` if none came. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  const result = await work.catch((error: unknown) => error)
  return isStoreError(result) ? result.code : undefined
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
