import { type CallOptions, type ErrorCode, isStoreError } from '@unikv/core'
import { Histogram } from '@unikv/core/histogram'
import type { LatencySnapshot, OperationSnapshot } from './snapshot.ts'

/** The name of an operation: what a call was for. */
export type Operation = 'read' | 'set' | 'delete' | 'touch' | 'increment' | 'scan'

/** How calls are timed. */
export interface Timing {
  /** Monotonic, in milliseconds. */
  readonly clock: () => number
  readonly everySync: boolean
}

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
  #calls = 0
  #waits = 0
  #ended = 0
  #late = 0
  /** Whether the next call gets a start time in any case: the last one was awaited, or all are timed. */
  #timesNext: boolean
  #leadMs = 0
  /** The first call is timed. */
  #untilTimed = 1
  #seed = 0x9e3779b9

  constructor(operation: Operation, timing: Timing) {
    this.operation = operation
    this.#clock = timing.clock
    this.#everySync = timing.everySync
    this.#timesNext = timing.everySync
  }

  /** Open a call: its start time if it is to be timed, else -1. */
  start(): number {
    this.#calls++
    if (--this.#untilTimed > 0 && !this.#timesNext) return -1
    return this.#startTime()
  }

  #startTime(): number {
    if (this.#untilTimed <= 0) this.#untilTimed = this.#gap()
    return this.#clock()
  }

  /** From 1 to 31, and 16 in the mean (Marsaglia, Xorshift RNGs, 2003). */
  #gap(): number {
    this.#seed ^= this.#seed << 13
    this.#seed ^= this.#seed >>> 17
    this.#seed ^= this.#seed << 5
    return 1 + ((this.#seed >>> 0) % 31)
  }

  /** A call that got a start time was answered without a promise. */
  timed(startedAt: number): void {
    this.#atOnce.record(this.#clock() - startedAt)
    this.#timesNext = this.#everySync
  }

  /** The call failed without a promise. Returns the error, to be thrown on. */
  threw(error: unknown, items: readonly unknown[], startedAt: number): unknown {
    if (startedAt !== -1) this.timed(startedAt)
    this.failed(error, items.length)
    return error
  }

  /** The call answers by promise: its start time, known or estimated. */
  waits(startedAt: number): number {
    this.#waits++
    this.#timesNext = true
    const now = this.#clock()
    if (startedAt === -1) return now - this.#leadMs
    this.#leadMs += (now - startedAt - this.#leadMs) / 16
    return startedAt
  }

  /** The promise was settled. Returns how long the call took, in milliseconds. */
  settled(startedAt: number, { settled }: CallOptions): number {
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
    this.#errors.set(code, (this.#errors.get(code) ?? 0) + items)
  }

  /** Whether anything was counted. */
  get used(): boolean {
    return this.#calls > 0
  }

  abstract snapshot(): OperationSnapshot

  /** The figures common to all operations, given the number of items that did not fail. */
  protected common(items: number): OperationSnapshot {
    return {
      calls: this.#calls,
      items: items + this.#failed,
      underWay: this.#waits - this.#ended,
      late: this.#late,
      errors: Object.fromEntries(this.#errors),
      atOnce: this.#atOnce.snapshot(this.#calls - this.#waits),
      awaited: this.#awaited.snapshot(this.#ended),
    }
  }
}

/** How many latencies are kept before they are sorted in. */
const room = 64

/** 64 buckets for each power of two: a percentile is off by at most 1/128 of its value. */
const precisionBits = 6

/** Latencies, some kept as they came: to sort them in takes longer than to put them down. */
class Latency {
  #histogram: Histogram | undefined
  readonly #latest = new Float64Array(room)
  #kept = 0

  record(ms: number): void {
    this.#latest[this.#kept++] = ms
    if (this.#kept === room) this.#sortIn()
  }

  #sortIn(): void {
    this.#histogram ??= new Histogram({ precisionBits })
    for (let i = 0; i < this.#kept; i++) this.#histogram.record((this.#latest[i] as number) * 1e6)
    this.#kept = 0
  }

  snapshot(count: number): LatencySnapshot {
    if (this.#kept > 0) this.#sortIn()
    const histogram = this.#histogram
    if (histogram === undefined) return { count, ...untimed }
    const quantileMs = (share: number) => histogram.percentile(share * 100) / 1e6
    return {
      count,
      timed: histogram.count,
      minMs: histogram.min / 1e6,
      meanMs: histogram.sum / histogram.count / 1e6,
      p50Ms: quantileMs(0.5),
      p90Ms: quantileMs(0.9),
      p99Ms: quantileMs(0.99),
      p999Ms: quantileMs(0.999),
      maxMs: histogram.max / 1e6,
    }
  }
}

const untimed = { timed: 0, minMs: 0, meanMs: 0, p50Ms: 0, p90Ms: 0, p99Ms: 0, p999Ms: 0, maxMs: 0 }
