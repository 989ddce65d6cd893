import {
  type Awaitable,
  andThen,
  type Bytes,
  type CallOptions,
  isPromise,
  isStoreError,
  type Read,
  type ReadResult,
  type Store,
  type StoreError,
  toStoreError,
} from '@unikv/core'
import { type Call, derive, wantsWhole } from '@unikv/core/adapter'
import { mayPass } from './envelope/batches.ts'
import { strongLevel } from './strong-level.ts'

type ReadVerb = Store<Bytes>['read']

/**
 * Reads that ask the store itself, once more, for records that do not open. A cache below, perhaps of a process that knows
 * nothing of a sweep, keeps the envelope of a former key: sealing again leaves version and expiry as they are. Its record is
 * replaced then.
 */
export function readPastCaches(inner: Store<Bytes>, read: ReadVerb): ReadVerb {
  const level = strongLevel(inner)
  if (level === undefined) return read
  return (reads, call) =>
    andThen(read(reads, call), (results) => {
      if (wantsWhole.of(call.facts) === true || !results.some(isUnopened)) return results
      return again(reads, results, (some) => read(some, pastCaches(call, level)))
    })
}

function again(
  reads: readonly Read[],
  results: readonly ReadResult<Bytes>[],
  read: (some: readonly Read[]) => Awaitable<readonly ReadResult<Bytes>[]>,
): Awaitable<readonly ReadResult<Bytes>[]> {
  const some = reads.filter((_, i) => isUnopened(results[i]))
  return andThen(
    orErrors(some, () => read(some)),
    (found) => {
      let next = 0
      return results.map((result) => (isUnopened(result) ? found[next++] : result))
    },
  )
}

/** The other answers of the batch stay, also if these fail. */
function orErrors(
  some: readonly Read[],
  read: () => Awaitable<readonly ReadResult<Bytes>[]>,
): Awaitable<readonly ReadResult<Bytes>[]> {
  const failed = (error: unknown): readonly StoreError[] => some.map(() => toStoreError(error, {}))
  try {
    const found = read()
    return isPromise(found) ? found.catch(failed) : found
  } catch (error) {
    return failed(error)
  }
}

function isUnopened(result: ReadResult<Bytes>): boolean {
  return isStoreError(result) && !mayPass(result)
}

/** The same call, for whole records that no layer has kept. */
export function pastCaches(call: CallOptions, level: string | undefined): Call {
  return derive(call, { consistency: level, facts: wantsWhole.with(true), sent: 'own' })
}
