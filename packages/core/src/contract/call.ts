import { heartbeat } from '../platform/heartbeat.ts'
import { ownSignal } from '../platform/signals.ts'
import { StoreError } from './errors.ts'
import type { CallOptions, CallPart } from './store.ts'

/**
 * The options of one call on its way down. Cheap to make: the clock is read when the deadline is first asked
 * for, by a layer or an adapter when the call reaches it, or by KeyValue when the call must wait for its turn. It moves on
 * by the time in which the process did not run.
 */
export class Call implements CallOptions {
  // Declared, and assigned once: a field would be defined first.
  declare timeoutMs: number
  declare readonly signal: AbortSignal | undefined
  declare readonly consistency: string | undefined
  declare sent: boolean
  declare settled: boolean
  declare parts?: readonly CallPart[]
  /** As if no time had been lost. */
  #deadlineAt: number | undefined

  constructor(timeoutMs: number, signal?: AbortSignal, consistency?: string) {
    this.timeoutMs = timeoutMs
    this.signal = signal
    this.consistency = consistency
    this.sent = false
    this.settled = false
  }

  /** As new, for the next page of a scan. */
  renew(timeoutMs: number): void {
    this.timeoutMs = timeoutMs
    this.#deadlineAt = undefined
    this.settled = false
  }

  get deadlineAt(): number {
    this.#deadlineAt ??= unlost(heartbeat.now() + this.timeoutMs)
    return this.#deadlineAt + heartbeat.lostMs
  }
}

/** Options for calls of a tool that wants no deadline. Make one for each call; a copy by `...` has no deadline. */
export function callOptions(options: ToolCall = {}): CallOptions {
  return new OwnCall(options)
}

class OwnCall implements CallOptions {
  // Declared, and assigned once: a field would be defined first.
  declare readonly signal: AbortSignal | undefined
  declare readonly consistency: string | undefined
  declare sent: boolean
  declare settled: boolean
  /** As if no time had been lost. */
  readonly #deadlineAt: number

  constructor({ deadlineAt = Number.POSITIVE_INFINITY, signal, consistency }: ToolCall) {
    heartbeat.now() // what was lost before this deadline does not move it
    this.#deadlineAt = unlost(deadlineAt)
    this.signal = ownSignal(signal)
    this.consistency = consistency
    this.sent = false
    this.settled = false
  }

  get deadlineAt(): number {
    return this.#deadlineAt + heartbeat.lostMs
  }
}

/** The properties that a tool gives to its call. */
export interface ToolCall {
  /** The deadline on the clock of `performance.now()`. @default none */
  readonly deadlineAt?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly consistency?: string | undefined
}

/** How long a call still has, in milliseconds. Time in which the process was blocked does not count. */
export function leftMs(call: CallOptions): number {
  const now = heartbeat.now()
  return call.deadlineAt - now
}

/** A time as it would be if the process had always run. */
function unlost(at: number): number {
  return at - heartbeat.lostMs
}

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
