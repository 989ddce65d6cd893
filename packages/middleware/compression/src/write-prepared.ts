import {
  andThen,
  type Bytes,
  type CallOptions,
  isStoreError,
  type Mutation,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'

/**
 * Write the mutations that could be prepared; the others keep their errors in place. A batch that takes effect
 * as a whole is refused as a whole.
 */
export function writePrepared(
  inner: Store<Bytes>,
  prepared: readonly (Mutation<Bytes> | StoreError)[],
  call: CallOptions,
): ReturnType<Store<Bytes>['write']> {
  const ready = prepared.filter((one): one is Mutation<Bytes> => !isStoreError(one))
  if (ready.length === prepared.length) return inner.write(ready, call)
  if (ready.length === 0 || inner.capabilities.batch.atomicity === 'all')
    return prepared.map((one) => (isStoreError(one) ? one : refusedAsWhole()))
  return andThen(inner.write(ready, call), (results) => {
    let next = 0
    return prepared.map((one) => (isStoreError(one) ? one : (results[next++] as WriteResult)))
  })
}

function refusedAsWhole(): StoreError {
  return new StoreError(
    'INVALID_VALUE',
    'Not written: the batch takes effect as a whole, and another value of it was refused.',
  )
}
