import { type ErrorTable, type Failed, told } from '../adapter/error-table.ts'
import { StoreError } from '../contract/errors.ts'

/**
 * The error for an answer whose status is not one that was hoped for. Below 500 the server did nothing. From 500 on some
 * copies may have a write: a proxy or a coordinator answers so when too few of them did. `said` are words of the server
 * that hold no secret.
 */
export function statusError(
  table: ErrorTable<number>,
  status: number,
  failed: Pick<Failed, 'where' | 'isWrite'>,
  said?: string,
): StoreError {
  const cause = new Error(`HTTP status ${status}${said === undefined ? '' : `: ${said}`}`)
  Object.assign(cause, { code: status })
  const meaning = table.get(status)
  if (meaning !== undefined) return told(meaning, cause, failed)
  const { where } = failed
  const how = `(${said === undefined ? status : `${status}: ${said}`})`
  if (status < 500)
    return new StoreError('UNAVAILABLE', `${where} rejected the request ${how}.`, { cause, retryable: false })
  const failure = {
    code: 'UNAVAILABLE',
    message: `${where} failed ${how}.`,
    unsettled: `${where} failed during the write ${how}`,
  } as const
  return told(failure, cause, failed)
}
