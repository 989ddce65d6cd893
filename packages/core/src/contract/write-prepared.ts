import { type Awaitable, andThen } from './awaitable.ts'
import { isStoreError, StoreError } from './errors.ts'
import type { CallOptions, Mutation, Store, WriteResult } from './store.ts'

/**
 * Write the mutations that a layer could prepare; the others keep their errors in place. A batch that takes effect as
 * a whole is refused as a whole.
 */
export function writePrepared<V>(
  inner: Pick<Store<V>, 'write' | 'capabilities'>,
  prepared: readonly (Mutation<V> | StoreError)[],
  call: CallOptions,
): Awaitable<readonly WriteResult[]> {
  if (!prepared.some(isStoreError)) return inner.write(prepared as readonly Mutation<V>[], call)
  const ready = prepared.filter((one): one is Mutation<V> => !isStoreError(one))
  if (ready.length === 0 || inner.capabilities.batch.atomicity === 'all')
    return prepared.map((one) => (isStoreError(one) ? one : refusedAsWhole(one.key)))
  return andThen(inner.write(ready, call), (results) => {
    let next = 0
    return prepared.map((one) => (isStoreError(one) ? one : (results[next++] as WriteResult)))
  })
}

function refusedAsWhole(key: string): StoreError {
  return new StoreError('INVALID_VALUE', 'Not written, because another item of the batch was rejected.', {
    key,
  })
}
