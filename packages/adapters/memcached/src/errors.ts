import { StoreError } from '@unikv/core'
import { unanswered } from '@unikv/core/adapter'

/** What an error line of the server means. `where` is the server, `OUTCOME_UNKNOWN` is for writes alone. */
export function errorOfLine(line: string, where: string, isWrite: boolean): StoreError {
  const cause = new Error(line)
  if (line.includes('object too large'))
    return new StoreError(
      'VALUE_TOO_LARGE',
      `${where} rejected the item because of its size (-I); the earlier value of the key is gone.`,
      { cause },
    )
  if (line.startsWith('SERVER_ERROR out of memory'))
    return isWrite
      ? new StoreError(
          'STORE_FULL',
          `${where} is out of memory and evicts nothing; the earlier value of the key may be gone.`,
          { cause },
        )
      : new StoreError('OVERLOADED', `${where} has no memory for the reply.`, { cause })
  if (line.includes('unauthenticated') || line.includes('authentication failure')) return denied(where, cause)
  if (line.includes('Too many open connections'))
    return new StoreError('OVERLOADED', `${where} accepts no more connections (-c); nothing was sent.`, {
      cause,
    })
  // A proxy may say so after the effect.
  if (line.startsWith('SERVER_ERROR')) return unanswered(where, isWrite, cause)
  return new StoreError('UNAVAILABLE', `${where} refused the command; nothing was changed.`, {
    cause,
    retryable: false,
  })
}

function denied(where: string, cause: Error): StoreError {
  return new StoreError('ACCESS_DENIED', `${where} rejected the user. Check username and password of auth.`, {
    cause,
  })
}
