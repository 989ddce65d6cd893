import type { CallOptions, ErrorCode } from '@unikv/core'
import { isStoreError } from '@unikv/core/adapter'
import type { Histogram } from '@unikv/core/histogram'
import { type Counts, countsBetween, type Figures, type Sums, sumsBetween } from '../figures.ts'
import { Latency } from '../latency.ts'
import type { Operation } from '../operation.ts'
import type { OperationSnapshot } from '../snapshot.ts'

/** How calls are timed. */
export interface Timing {
  /** Monotonic, in milliseconds. */
  readonly clock: () => number
  readonly everySync: boolean
}

/** Sums that only some kinds of operations have, and the number of items that did not fail. */
export type KindSums = Omit<Sums, 'items' | 'late' | 'bytes'> & { readonly answered: number }

/** The counters of a meter at one moment. */
interface Reading {
  readonly sums: Sums
  readonly errors: Counts
  readonly hits: Counts
  readonly atOnce: number
  readonly awaited: number
}

const noSums: Sums = { items: 0, late: 0, misses: 0, absent: 0, stale: 0, conditionsFailed: 0, bytes: 0 }
const nothing: Reading = { sums: noSums, errors: {}, hits: {}, atOnce: 0, awaited: 0 }

/**
 * Counts one operation of one store.
 *
 * Reading a clock costs as much as a cache hit, so of the calls that are expected to answer at once (as the last
 * one did) only one in 16 gets a start time, at random: a program that does something every 16 calls is not seen by halves. One that answers by promise nevertheless is timed from when the
 * promise came, plus what such calls otherwise spend until then, on average.
 */
export abstract class Meter {
  readonly operation: Operation
  readonly #clock: () => number
  readonly #everySync: boolean
  readonly #errors = new Map<ErrorCode, number>()
  readonly #atOnce = new Latency()
  readonly #awaited = new Latency()
  #failed = 0
  #lastError: ErrorCode | undefined
  #calls = 0
  #waits = 0
  #ended = 0
  #late = 0
  /** Whether the next call gets a start time in any case: the last one was awaited, or all are timed. */
  #timesNext: boolean
  /** How long calls take until their promise is there: the mean of samples. */
  #leadMs = 0
  #leads = 0
  /** Whether the last call with a start time was one in 16. */
  #isSample = false
  #bytes = 0
  #taken = nothing
  /** The first call is timed. */
  #untilTimed = 1
  #seed = 0x9e3779b9

  constructor(operation: Operation, timing: Timing) {
    this.operation = operation
    this.#clock = timing.clock
    this.#everySync = timing.everySync
    this.#timesNext = timing.everySync
  }

  /** Open a call: its start time if it is timed, else -1. */
  start(): number {
    this.#calls++
    if (--this.#untilTimed > 0 && !this.#timesNext) return -1
    return this.#startTime()
  }

  #startTime(): number {
    this.#isSample = this.#untilTimed <= 0
    if (this.#isSample) this.#untilTimed = this.#gap()
    return this.#clock()
  }

  /** From 1 to 31, and 16 in the mean (Marsaglia, Xorshift RNGs, 2003). */
  #gap(): number {
    this.#seed ^= this.#seed << 13
    this.#seed ^= this.#seed >>> 17
    this.#seed ^= this.#seed << 5
    return 1 + ((this.#seed >>> 0) % 31)
  }

  /** A call that got a start time was answered without a promise. Returns how long it took, in milliseconds. */
  timed(startedAt: number): number {
    const tookMs = this.#clock() - startedAt
    this.#atOnce.record(tookMs)
    this.#timesNext = this.#everySync
    return tookMs
  }

  /** The call answers by promise: its start time, known or estimated. */
  waits(startedAt: number): number {
    this.#waits++
    this.#timesNext = true
    if (startedAt === -1) return this.#clock() - this.#leadMs
    if (!this.#isSample) return startedAt
    this.#leadMs += (this.#clock() - startedAt - this.#leadMs) / (this.#leads < 16 ? ++this.#leads : 16)
    return startedAt
  }

  /** The promise was settled. Returns how long the call took, in milliseconds. */
  settled(startedAt: number, { settled }: Pick<CallOptions, 'settled'>): number {
    this.#ended++
    if (settled === true) this.#late++
    const tookMs = this.#clock() - startedAt
    this.#awaited.record(tookMs)
    return tookMs
  }

  /** A call that was opened, and perhaps waited for, turned out to be none. */
  withdraw(waited: boolean): void {
    this.#calls--
    if (waited) this.#waits--
  }

  /** Items failed. */
  failed(error: unknown, items: number): void {
    this.#failed += items
    const code = isStoreError(error) ? error.code : 'UNAVAILABLE'
    this.#lastError = code
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + items)
  }

  /** Code of the last failure. */
  get lastError(): ErrorCode | undefined {
    return this.#lastError
  }

  /** Whether anything was counted. */
  get used(): boolean {
    return this.#calls > 0
  }

  /** Bytes of values passed a `traffic` layer. */
  passed(bytes: number): void {
    this.#bytes += bytes
  }

  abstract snapshot(): OperationSnapshot

  /** All latencies that were timed, in nanoseconds. */
  times(): { readonly atOnce: Histogram | undefined; readonly awaited: Histogram | undefined } {
    return { atOnce: this.#atOnce.all(), awaited: this.#awaited.all() }
  }

  /** Sums of the kind of operation, without what failed. */
  protected abstract sums(): KindSums

  /** Items that caches answered, by tier. */
  protected hits(): Counts {
    return {}
  }

  /** The answers since the last call of this; `undefined`: none. */
  take(): Figures | undefined {
    const before = this.#taken
    const now = this.#reading()
    this.#taken = now
    const figures: Figures = {
      ...sumsBetween(before.sums, now.sums),
      errors: countsBetween(before.errors, now.errors),
      hits: countsBetween(before.hits, now.hits),
      atOnce: { count: now.atOnce - before.atOnce, times: this.#atOnce.take() },
      awaited: { count: now.awaited - before.awaited, times: this.#awaited.take() },
    }
    return figures.atOnce.count + figures.awaited.count + figures.items + figures.bytes > 0
      ? figures
      : undefined
  }

  #reading(): Reading {
    const { answered, ...kind } = this.sums()
    return {
      sums: { ...kind, items: answered + this.#failed, late: this.#late, bytes: this.#bytes },
      errors: Object.fromEntries(this.#errors),
      hits: this.hits(),
      atOnce: this.#calls - this.#waits,
      awaited: this.#ended,
    }
  }

  /** The figures common to all operations, given the number of items that did not fail. */
  protected common(items: number): OperationSnapshot {
    return {
      calls: this.#calls,
      items: items + this.#failed,
      underWay: this.#waits - this.#ended,
      late: this.#late,
      bytes: this.#bytes,
      errors: Object.fromEntries(this.#errors),
      atOnce: this.#atOnce.snapshot(this.#calls - this.#waits),
      awaited: this.#awaited.snapshot(this.#ended),
    }
  }
}
