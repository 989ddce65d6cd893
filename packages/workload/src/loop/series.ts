import { Histogram } from '@unikv/core/histogram'
import type { LoopObserver } from './operations.ts'

/** One kind of operation in one interval of a series. Times are in milliseconds. */
export interface SeriesPoint {
  /** Successes that ended in this interval. */
  readonly operations: number
  readonly errors: number
  /** Response times in an open loop, service times in a closed one; `null` without a success. */
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly maxMs: number | null
}

/** An interval of a series. */
export interface SeriesInterval {
  /** From the start of the loop to the start of the interval. */
  readonly atMs: number
  /** The interval's length; the last one is shorter. */
  readonly lengthMs: number
  /** Operations of all kinds together. */
  readonly all: SeriesPoint
  /** Aligned with the kinds of the loop. */
  readonly kinds: readonly SeriesPoint[]
}

interface Counted {
  readonly times: Histogram
  errors: number
}

/** A percentile of an interval may be off by 1.6 %, in exchange for little memory. */
const precisionBits = 5

/** Counts and times of each second of a loop. */
export class Series implements LoopObserver {
  readonly intervals: SeriesInterval[] = []
  readonly #lengthMs: number
  readonly #onInterval: ((interval: SeriesInterval) => void) | undefined
  #atMs = 0
  #all: Counted = nothing()
  #kinds: Counted[]

  /**
   * @param kinds how many kinds of operation there are
   * @param onInterval told of each interval that is over
   * @param lengthMs length of an interval
   */
  constructor(kinds: number, onInterval?: (interval: SeriesInterval) => void, lengthMs: number = 1_000) {
    this.#lengthMs = lengthMs
    this.#onInterval = onInterval
    this.#kinds = Array.from({ length: kinds }, nothing)
  }

  /** An operation succeeded. */
  ended(kind: number, atMs: number, _serviceNs: number, responseNs: number): void {
    if (atMs >= this.#atMs + this.#lengthMs) this.#reach(atMs)
    this.#all.times.record(responseNs)
    ;(this.#kinds[kind] as Counted).times.record(responseNs)
  }

  /** An operation failed. */
  failed(kind: number, atMs: number): void {
    if (atMs >= this.#atMs + this.#lengthMs) this.#reach(atMs)
    this.#all.errors++
    ;(this.#kinds[kind] as Counted).errors++
  }

  /** The loop is over: what was counted since the last interval is one too, if it lasted. */
  end(elapsedMs: number): readonly SeriesInterval[] {
    this.#reach(elapsedMs)
    if (elapsedMs > this.#atMs) this.#close(elapsedMs - this.#atMs)
    return this.intervals
  }

  /** Intervals in which nothing ended are there as well: a stall shows. */
  #reach(atMs: number): void {
    while (atMs >= this.#atMs + this.#lengthMs) this.#close(this.#lengthMs)
  }

  #close(lengthMs: number): void {
    const [all, kinds] = [pointOf(this.#all), this.#kinds.map(pointOf)]
    const interval = { atMs: this.#atMs, lengthMs, all, kinds }
    this.#atMs += lengthMs
    this.#all = cleared(this.#all)
    this.#kinds = this.#kinds.map(cleared)
    this.intervals.push(interval)
    this.#onInterval?.(interval)
  }
}

function nothing(): Counted {
  return { times: new Histogram({ precisionBits }), errors: 0 }
}

function cleared(counted: Counted): Counted {
  return counted.times.count === 0 ? { times: counted.times, errors: 0 } : nothing()
}

function pointOf({ times, errors }: Counted): SeriesPoint {
  const { count: operations } = times
  if (operations === 0) return { operations, errors, p50Ms: null, p99Ms: null, maxMs: null }
  const [p50Ms, p99Ms, maxMs] = [times.percentile(50), times.percentile(99), times.max].map((ns) => ns / 1e6)
  return { operations, errors, p50Ms: p50Ms as number, p99Ms: p99Ms as number, maxMs: maxMs as number }
}
