import { Call, leftMs } from '../contract/call.ts'
import { timeoutError } from '../contract/call-errors.ts'
import type { CallSettings } from './settings.ts'

/**
 * Settings for the steps of a call of several: if the caller gave a `timeoutMs`, it is that of the call as a whole, and a
 * step has what is left of it.
 *
 * @throws {StoreError} `TIMEOUT` when a step asks for it and nothing is left
 */
export function wholeCall<S extends CallSettings>(settings: S): S {
  const { timeoutMs } = settings
  if (timeoutMs === undefined) return settings
  const whole = new Call(timeoutMs)
  void whole.deadlineAt // begins now
  const left = (): number => {
    const ms = leftMs(whole)
    // Steps that are answered at once would never meet a deadline of their own.
    if (ms <= 0) throw timeoutError(whole, false)
    return ms
  }
  return Object.defineProperty({ ...settings }, 'timeoutMs', { get: left })
}
