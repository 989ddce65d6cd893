import { StoreError } from './errors.ts'
import type { CallOptions } from './store.ts'

/** The error of a call that ends at its deadline: certain while nothing was sent, or nothing is changed by it. */
export function timeoutError(call: Pick<CallOptions, 'sent'>, isWrite: boolean): StoreError {
  if (isWrite && call.sent === true) {
    return new StoreError(
      'OUTCOME_UNKNOWN',
      'No answer before the deadline; the write may or may not have taken effect. Read the key to find out.',
    )
  }
  return new StoreError(
    'TIMEOUT',
    'No answer before the deadline; nothing was changed. Raise timeoutMs or check the store.',
  )
}

/** The error of a call that its signal ended. */
export function abortError(call: CallOptions, isWrite: boolean): StoreError {
  const cause: unknown = call.signal?.reason
  if (isWrite && call.sent === true) {
    return new StoreError(
      'OUTCOME_UNKNOWN',
      'Aborted after the write was sent; it may or may not have taken effect.',
      { cause },
    )
  }
  return new StoreError('ABORTED', 'Aborted by the signal of the call; nothing was changed.', { cause })
}

/** The error of a call that was already answered, for code that still works on it. */
export function endedBy(call: CallOptions, isWrite: boolean): StoreError | undefined {
  if (call.signal?.aborted === true) return abortError(call, isWrite)
  return call.settled === true ? timeoutError(call, isWrite) : undefined
}

/** The error of a call on a closed KeyValue. */
export function closedError(): StoreError {
  return new StoreError('CLOSED', 'This KeyValue is closed. Open a new one.')
}
