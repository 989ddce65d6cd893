import { type ErrorCode, StoreError } from '@unikv/core'
import { type HttpAnswer, oddAnswer } from '@unikv/core/http-client'

const meanings: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map([
  [401, ['ACCESS_DENIED', 'Swift rejected the credentials. Check user and key (or password and project).']],
  [403, ['ACCESS_DENIED', 'Swift denied access to this user. Check its roles and the ACL of the container.']],
  [
    404,
    [
      'NOT_PREPARED',
      'There is no such container. Call prepareSwift with these options once, or set prepare: true.',
    ],
  ],
  [408, ['OVERLOADED', 'Swift did not receive the whole request in time; nothing was changed.']],
  [413, ['VALUE_TOO_LARGE', 'The object is larger than Swift allows.']],
  [429, ['OVERLOADED', 'Swift accepts no more requests at the moment; nothing was changed.']],
  [498, ['OVERLOADED', 'Swift accepts no more requests at the moment; nothing was changed.']],
  [507, ['STORE_FULL', 'Swift has no space left; nothing was changed. Free space, or delete records.']],
])

/** Statuses with which Swift says that it did what was asked, by method. */
const done: Readonly<Record<string, readonly number[]>> = {
  GET: [200, 204, 206],
  HEAD: [200, 204],
  PUT: [201, 202],
  POST: [202, 204],
  DELETE: [204],
}

/**
 * Refuse what is none of Swift's: a success without its mark, or a 404. Whoever stands in between knows nothing of objects.
 * Swift and the gateway of Ceph name every answer by a transaction.
 *
 * @throws {StoreError} `UNAVAILABLE`; `OUTCOME_UNKNOWN` for a write, which may have gone through before
 */
export function checkOwn(method: string, { status, headers }: HttpAnswer, isWrite: boolean): void {
  const isDone = done[method]?.includes(status) === true
  const isOwn = headers['x-trans-id'] !== undefined
  if (status < 300 ? isDone && isOwn : status !== 404 || isOwn) return
  throw notSwift(isWrite)
}

/** The error for an answer that is none of Swift's. */
export function notSwift(isWrite: boolean): StoreError {
  return oddAnswer('The storage URL', 'Swift', isWrite)
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
    `Swift failed during the write (${status}); it may or may not have taken effect. Read the key to find out.`,
  )
}
