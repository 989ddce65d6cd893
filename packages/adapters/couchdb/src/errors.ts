import { type ErrorCode, StoreError } from '@unikv/core'

/** The meaning of a status; writes with 500 and above are handled separately. */
const meanings: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map([
  [400, ['INVALID_VALUE', 'The server rejected the request as malformed.']],
  [
    401,
    ['ACCESS_DENIED', 'The server rejected the credentials. Check user and password (or authorization).'],
  ],
  [
    403,
    [
      'ACCESS_DENIED',
      'The server denied access to this user. Check its roles and the validation of the database.',
    ],
  ],
  [
    404,
    [
      'NOT_PREPARED',
      'There is no such database. Call prepareCouchdb with these options once, or set prepare: true.',
    ],
  ],
  [408, ['OVERLOADED', 'The server did not receive the whole request in time; nothing was changed.']],
  [413, ['VALUE_TOO_LARGE', 'The document is larger than the server allows (max_document_size).']],
  [429, ['OVERLOADED', 'The server is overloaded and accepts no more requests; nothing was changed.']],
  [507, ['STORE_FULL', 'The server has no space left; nothing was changed. Free space, or delete records.']],
])

/** What an answer other than the hoped-for means. `said` are the server's own words for the kind of error. */
export function statusError(status: number, said: unknown, isWrite: boolean): StoreError {
  const known = meanings.get(status)
  const words = typeof said === 'string' && /^[a-z_]{1,40}$/.test(said) ? `: ${said}` : ''
  if (known !== undefined) return new StoreError(...known)
  if (status < 500)
    return new StoreError('UNAVAILABLE', `The server rejected the request (${status}${words}).`, {
      retryable: false,
    })
  if (!isWrite) return new StoreError('UNAVAILABLE', `The server failed (${status}${words}).`)
  // Some copies may have it: a coordinator answers so when too few of them did in time.
  return new StoreError(
    'OUTCOME_UNKNOWN',
    `The server failed during the write (${status}${words}); it may or may not have taken effect. Read the key to find out.`,
  )
}

/** What the error of one document of a batch means, except `conflict`. */
export function itemError(said: string): StoreError {
  if (said === 'forbidden') return statusError(403, said, true)
  if (said === 'unauthorized') return statusError(401, said, true)
  if (/too_large/.test(said)) return statusError(413, said, true)
  if (/^(bad_request|doc_validation|illegal_docid)/.test(said)) return statusError(400, said, true)
  return statusError(500, said, true)
}
