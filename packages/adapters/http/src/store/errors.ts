import { StoreError } from '@unikv/core'
import { saidIn } from '../protocol/problems.ts'

/** The error for a refusal of the server itself; `undefined`: it is none that is known. Nothing was changed. */
export function refusedBy(
  where: string,
  status: number,
  code: unknown,
  detail: unknown,
): StoreError | undefined {
  const said = typeof detail === 'string' ? ` It says: ${saidIn(detail)}` : ''
  if (code === 'UNAUTHORIZED' || code === 'FORBIDDEN')
    return new StoreError('ACCESS_DENIED', `${where} refused the request.${said}`)
  if (code === 'TOO_MANY_REQUESTS')
    return new StoreError('OVERLOADED', `${where} takes no more requests now.${said}`)
  if (status === 413) return new StoreError('VALUE_TOO_LARGE', `${where} refused the request.${said}`)
  if (code === 'BAD_REQUEST')
    return new StoreError('INVALID_ARGUMENT', `${where} rejected the request.${said}`)
  return undefined
}

/** The error for a server that does not serve this store, or not to this caller. */
export function noStore(where: string): StoreError {
  return new StoreError('NOT_PREPARED', `${where} has no such store, or this token may not see it.`)
}
