import { type ErrorCode, StoreError } from '@unikv/core'
import type { HttpAnswer } from '@unikv/core/http'

const meanings: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map([
  [401, ['ACCESS_DENIED', 'Swift refuses the credentials. Check user and key (or password and project).']],
  [403, ['ACCESS_DENIED', 'Swift refuses this user here. Check its roles and the ACL of the container.']],
  [
    404,
    [
      'NOT_PREPARED',
      'There is no such container. Call prepareSwift with these options once, or set prepare: true.',
    ],
  ],
  [408, ['OVERLOADED', 'Swift did not get the whole request in time; nothing was changed.']],
  [413, ['VALUE_TOO_LARGE', 'Swift refuses an object of this size.']],
  [429, ['OVERLOADED', 'Swift takes no more requests now.']],
  [498, ['OVERLOADED', 'Swift takes no more requests now.']],
  [507, ['STORE_FULL', 'Swift has no room left.']],
])

/**
 * Refuse a 404 that is none of Swift's: whoever stands in between knows nothing of objects. Swift and the gateway of Ceph
 * name every answer by a transaction.
 *
 * @throws {StoreError} `UNAVAILABLE`; `OUTCOME_UNKNOWN` for a write, which may have gone through before
 */
export function checkOwn({ status, headers }: HttpAnswer, isWrite: boolean): void {
  if (status !== 404 || headers['x-trans-id'] !== undefined) return
  const message =
    'Something answered 404 in the place of Swift (without X-Trans-Id). Is the storage URL right?'
  if (!isWrite) throw new StoreError('UNAVAILABLE', message)
  throw new StoreError(
    'OUTCOME_UNKNOWN',
    `${message} The write may or may not have taken effect. Read the key to find out.`,
  )
}

/** What an answer other than the hoped-for means. */
export function statusError(status: number, body: Buffer, isWrite: boolean): StoreError {
  if (status === 413 && /quota/i.test(body.toString()))
    return new StoreError('STORE_FULL', 'The quota of the account or the container is used up.')
  const known = meanings.get(status)
  if (known !== undefined) return new StoreError(...known)
  if (status < 500)
    return new StoreError('UNAVAILABLE', `Swift refused the request (${status}).`, { retryable: false })
  if (!isWrite) return new StoreError('UNAVAILABLE', `Swift failed (${status}).`)
  // Some copies may have it: the proxy answers so when too few of them did.
  return new StoreError(
    'OUTCOME_UNKNOWN',
    `Swift failed in the write (${status}); it may or may not have taken effect. Read the key to find out.`,
  )
}
