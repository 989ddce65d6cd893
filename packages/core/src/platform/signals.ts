import { setMaxListeners } from 'node:events'
import * as util from 'node:util'
import { StoreError } from '../contract/errors.ts'

/**
 * Node's own class, also where a simulated browser (jsdom) has put one in its place that Node's clients do not take.
 * `node:util` is where it can still be had.
 */
export const AbortController: typeof globalThis.AbortController =
  (util.transferableAbortController?.().constructor as typeof globalThis.AbortController | undefined) ??
  globalThis.AbortController

/** An object of the class below. */
export type AbortController = globalThis.AbortController

/** Node's own class, as `AbortController`. */
export const AbortSignal: typeof globalThis.AbortSignal = new AbortController().signal
  .constructor as typeof globalThis.AbortSignal

/** An object of the class above. */
export type AbortSignal = globalThis.AbortSignal

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

/** Told when a signal is aborted. */
export interface Told {
  /** The signal was aborted. */
  handleEvent(): void
}

/** All who wait for one signal, as one listener: a signal looks through its listeners for each that comes or goes. */
class Watch extends Set<Told> {
  handleEvent(): void {
    for (const one of Array.from(this)) one.handleEvent()
  }
}

const watches = new WeakMap<object, Watch>()

/** Tell this one when the signal is aborted. */
export function watch(signal: AbortSignal | undefined, told: Told): void {
  if (signal === undefined) return
  const all = watches.get(signal) ?? new Watch()
  if (all.add(told).size > 1) return
  watches.set(signal, all)
  signal.addEventListener('abort', all)
}

/** It need not be told any more; again is fine. */
export function unwatch(signal: AbortSignal | undefined, told: Told): void {
  const all = signal && watches.get(signal)
  if (all?.delete(told) === true && all.size === 0) signal?.removeEventListener('abort', all)
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
