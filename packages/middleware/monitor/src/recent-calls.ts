import type { ErrorCode } from '@unikv/core'
import { publish } from './channels/publishing.ts'
import type { Meter } from './meters/meter.ts'
import type { Operation } from './operation.ts'

/** One call in detail. Never holds a key or a value. */
export interface RecentCall {
  /** When it began (wall clock, milliseconds since the epoch). */
  readonly at: number
  readonly store: string
  readonly operation: Operation
  /** How many items it had. */
  readonly items: number
  /** How many of them failed. */
  readonly failed: number
  /** Code of the last failure. */
  readonly error: ErrorCode | undefined
  readonly durationMs: number
  /** Whether it was answered by promise. One in 16 of the others is here, at random, unless `timeEverySync`. */
  readonly isAwaited: boolean
}

/** The outcome of a call. */
export interface Outcome {
  readonly items: number
  readonly failed: number
  readonly durationMs: number
}

/** The latest calls in a ring, which are also published. */
export class RecentCalls {
  readonly #clock: () => number
  readonly #most: number
  readonly #ring: RecentCall[] = []
  #next = 0

  constructor(most: number, clock: () => number) {
    this.#most = most
    this.#clock = clock
  }

  /** A call was answered by promise. */
  awaited(store: string, meter: Meter, outcome: Outcome): void {
    this.#keep(store, meter, outcome, true)
    publish(meter.operation, () => ({ store, operation: meter.operation, ...outcome }))
  }

  /** A call that was timed was answered without a promise. */
  atOnce(store: string, meter: Meter, outcome: Outcome): void {
    this.#keep(store, meter, outcome, false)
  }

  /** The calls that are kept, the earliest first. */
  list(): RecentCall[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)]
  }

  /** Forget them. */
  clear(): void {
    this.#ring.length = 0
    this.#next = 0
  }

  #keep(store: string, meter: Meter, { items, failed, durationMs }: Outcome, isAwaited: boolean): void {
    if (this.#most === 0) return
    const { operation } = meter
    const error = failed === 0 ? undefined : meter.lastError
    const at = this.#clock() - durationMs
    this.#ring[this.#next] = { at, store, operation, items, failed, error, durationMs, isAwaited }
    this.#next = (this.#next + 1) % this.#most
  }
}
