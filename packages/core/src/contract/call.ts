import { heartbeat } from '../platform/heartbeat.ts'
import { endedBy, timeoutError } from './call-errors.ts'
import type { StoreError } from './errors.ts'
import type { CallOptions, CallPart, LayerFacts } from './store.ts'

/**
 * The options of one call on its way down. Cheap to make: the clock is read when the deadline is first asked
 * for, by a layer or an adapter when the call reaches it, or by KeyValue when the call must wait for its turn. The
 * deadline moves on by the time in which the process did not run.
 */
export class Call implements CallOptions {
  // Declared, and assigned once: a field would be defined first.
  /** From the first look at the deadline on. */
  declare timeoutMs: number
  declare readonly signal: AbortSignal | undefined
  declare readonly consistency: string | undefined
  /** Facts of its own, with those of its base. */
  declare says?: LayerFacts
  declare parts?: readonly CallPart[]
  /** The call that this one stands for: it has the deadline, and ends this one too. */
  declare protected readonly base: CallOptions | undefined
  declare protected heard?: LayerFacts | undefined
  #sent = false
  #settled = false
  /** As if no time had been lost. */
  #deadlineAt: number | undefined

  /** With a `base`, `timeoutMs` does not count; `derive` makes such calls. */
  constructor(timeoutMs: number, signal?: AbortSignal, consistency?: string, base?: CallOptions) {
    this.timeoutMs = timeoutMs
    this.signal = signal
    this.consistency = consistency
    this.base = base
  }

  /** As new, for the next page of a scan. */
  renew(timeoutMs: number): void {
    this.timeoutMs = timeoutMs
    this.#deadlineAt = undefined
    this.#settled = false
  }

  get deadlineAt(): number {
    return (
      this.base?.deadlineAt ??
      (this.#deadlineAt ??= heartbeat.now() + this.timeoutMs - heartbeat.lostMs) + heartbeat.lostMs
    )
  }

  get facts(): LayerFacts | undefined {
    return this.says ?? this.base?.facts
  }

  /** Answers to a call that stands for another one are answers to that one. */
  get told(): LayerFacts | undefined {
    return this.base === undefined ? this.heard : this.base.told
  }

  set told(told: LayerFacts | undefined) {
    if (this.base === undefined) this.heard = told
    else this.base.told = told
  }

  get sent(): boolean {
    return this.#sent
  }

  set sent(sent: boolean) {
    this.#sent = sent
  }

  get settled(): boolean {
    return this.#settled || this.base?.settled === true
  }

  set settled(settled: boolean) {
    this.#settled = settled
  }
}

/** How long a call still has, in milliseconds. Time in which the process was blocked does not count. */
export function leftMs(call: CallOptions): number {
  const now = heartbeat.now()
  return call.deadlineAt - now
}

/** Why a call that has not started must not start any more, if so. */
export function endOf(call: CallOptions, isWrite: boolean): StoreError | undefined {
  const end = endedBy(call, isWrite)
  if (end !== undefined) return end
  if (leftMs(call) <= 0) return timeoutError(call, isWrite)
  return undefined
}
