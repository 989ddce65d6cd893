import { StoreError } from '@unikv/core'
import { errorTable } from '@unikv/core/adapter'
import { statusError as errorOfStatus, type HttpAnswer, oddAnswer } from '@unikv/core/http-client'

/** Keyed by status; from 500 on, some copies may have a write. */
const meanings = errorTable<number>(
  {
    of: [401],
    code: 'ACCESS_DENIED',
    message: 'Swift rejected the credentials. Check user and key (or password and project).',
  },
  {
    of: [403],
    code: 'ACCESS_DENIED',
    message: 'Swift denied access to this user. Check its roles and the ACL of the container.',
  },
  {
    of: [404],
    code: 'NOT_PREPARED',
    message: 'There is no such container. Call prepareSwift with these options once, or set prepare: true.',
  },
  {
    of: [408],
    code: 'OVERLOADED',
    message: 'Swift did not receive the whole request in time; nothing was changed.',
  },
  { of: [413], code: 'VALUE_TOO_LARGE', message: 'The object is larger than Swift allows.' },
  {
    of: [429, 498],
    code: 'OVERLOADED',
    message: 'Swift accepts no more requests at the moment; nothing was changed.',
  },
  {
    of: [507],
    code: 'STORE_FULL',
    message: 'Swift has no space left; nothing was changed. Free space, or delete records.',
  },
)

/** Statuses with which Swift says that it did what was asked, by method. */
const done: Readonly<Record<string, readonly number[]>> = {
  GET: [200, 204, 206],
  HEAD: [200, 204],
  PUT: [201, 202],
  POST: [202, 204],
  DELETE: [204],
}

/**
 * Refuse answers that are not from Swift: a success without its mark, or a 404. A proxy in between knows nothing of objects.
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

/** Meaning of an answer that is not a success. */
export function statusError(status: number, body: Buffer, isWrite: boolean): StoreError {
  if (status === 413 && /quota/i.test(body.toString()))
    return new StoreError('STORE_FULL', 'The quota of the account or the container is used up.')
  return errorOfStatus(meanings, status, { where: 'Swift', isWrite })
}
