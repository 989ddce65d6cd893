import { setMaxListeners } from 'node:events'
import { AbortController, AbortSignal } from '../platform/signals.ts'
import { StoreError } from './errors.ts'

const nodesAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')

/** Our own signals in the place of others. */
const ours = new WeakMap<object, AbortSignal>()

/**
 * A signal that everything below may use: Node's own as it is, and one of our own for that of another realm or of a
 * polyfill, which clients of stores would refuse. Any number of calls may share it.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for what is not a signal
 */
export function ownSignal(signal: AbortSignal): AbortSignal
export function ownSignal(signal: AbortSignal | undefined): AbortSignal | undefined
export function ownSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined) return undefined
  if (isNodes(signal)) {
    setMaxListeners(0, signal)
    return signal
  }
  const known = ours.get(checked(signal))
  if (known !== undefined) return known
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal.reason)
  if (signal.aborted) abort()
  // One listener for all calls: none of them may remove it.
  else signal.addEventListener('abort', abort)
  setMaxListeners(0, controller.signal)
  ours.set(signal, controller.signal)
  return controller.signal
}

function isNodes(signal: unknown): boolean {
  try {
    return nodesAborted?.get?.call(signal) !== undefined
  } catch {
    return false
  }
}

function checked(signal: unknown): object {
  if (typeof signal === 'object' && signal !== null) {
    const { aborted, addEventListener } = signal as { readonly [name: string]: unknown }
    if (typeof aborted === 'boolean' && typeof addEventListener === 'function') return signal
  }
  throw new StoreError('INVALID_ARGUMENT', 'signal must be an AbortSignal.')
}
