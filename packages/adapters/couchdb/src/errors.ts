import type { StoreError } from '@unikv/core'
import { errorTable } from '@unikv/core/adapter'
import { statusError as errorOfStatus } from '@unikv/core/http-client'

/** Keyed by status; from 500 on, some copies may have a write. */
const meanings = errorTable<number>(
  { of: [400], code: 'INVALID_VALUE', message: 'The server rejected the request as malformed.' },
  {
    of: [401],
    code: 'ACCESS_DENIED',
    message: 'The server rejected the credentials. Check user and password (or authorization).',
  },
  {
    of: [403],
    code: 'ACCESS_DENIED',
    message: 'The server denied access to this user. Check its roles and the validation of the database.',
  },
  {
    of: [404],
    code: 'NOT_PREPARED',
    message: 'There is no such database. Call prepareCouchdb with these options once, or set prepare: true.',
  },
  {
    of: [408],
    code: 'OVERLOADED',
    message: 'The server did not receive the whole request in time; nothing was changed.',
  },
  {
    of: [413],
    code: 'VALUE_TOO_LARGE',
    message: 'The document is larger than the server allows (max_document_size).',
  },
  {
    of: [429],
    code: 'OVERLOADED',
    message: 'The server is overloaded and accepts no more requests; nothing was changed.',
  },
  {
    of: [507],
    code: 'STORE_FULL',
    message: 'The server has no space left; nothing was changed. Free space, or delete records.',
  },
)

/** Meaning of an answer that is not a success. `said` are the server's own words for the kind of error. */
export function statusError(status: number, said: unknown, isWrite: boolean): StoreError {
  const words = typeof said === 'string' && /^[a-z_]{1,40}$/.test(said) ? said : undefined
  return errorOfStatus(meanings, status, { where: 'The server', isWrite }, words)
}

/** Meaning of the error of one document of a batch, except `conflict`. */
export function itemError(said: string): StoreError {
  return statusError(statuses.find(([words]) => words.test(said))?.[1] ?? 500, said, true)
}

/** Statuses of whole requests that mean the same as these words about one document. */
const statuses: readonly (readonly [RegExp, number])[] = [
  [/^forbidden$/, 403],
  [/^unauthorized$/, 401],
  [/too_large/, 413],
  [/^(bad_request|doc_validation|illegal_docid)/, 400],
]
