import { Histogram, histogramJson } from '@unikv/core/histogram'
import { coarser, type IntervalSample } from './interval-sample.ts'
import type { LoopObserver } from './operations.ts'

interface Counted {
  readonly times: Histogram
  errors: number
}

/** A percentile of an interval may be off by 1.6 %, in exchange for little memory. */
const precisionBits = 5

/** A longer loop keeps intervals of 2, 4, 8 … seconds: those of a day of seconds would fill memory, and the queue of workers. */
const mostKept = 1_800

/** Counts and times of each second of a loop. */
export class Series implements LoopObserver {
  #kept: IntervalSample[] = []
  /** Length of the intervals that are kept. */
  #keptMs: number
  /** Those of the next one. */
  #next: IntervalSample[] = []
  readonly #lengthMs: number
  readonly #onInterval: ((interval: IntervalSample) => void) | undefined
  #atMs = 0
  #kinds: Counted[]
  readonly #untilMs: number

  /**
   * @param kinds how many kinds of operation there are
   * @param onInterval told of each interval that is over
   * @param untilMs the duration of the loop: operations that end after it are left out
   * @param lengthMs length of an interval
   */
  constructor(
    kinds: number,
    onInterval?: (interval: IntervalSample) => void,
    untilMs: number = Number.POSITIVE_INFINITY,
    lengthMs: number = 1_000,
  ) {
    this.#untilMs = untilMs
    this.#lengthMs = lengthMs
    this.#keptMs = lengthMs
    this.#onInterval = onInterval
    this.#kinds = Array.from({ length: kinds }, nothing)
  }

  /** An operation succeeded. */
  ended(kind: number, atMs: number, _serviceNs: number, responseNs: number): void {
    if (atMs > this.#untilMs) return
    if (atMs >= this.#atMs + this.#lengthMs) this.#reach(atMs)
    ;(this.#kinds[kind] as Counted).times.record(responseNs)
  }

  /** An operation failed. */
  failed(kind: number, atMs: number): void {
    if (atMs > this.#untilMs) return
    if (atMs >= this.#atMs + this.#lengthMs) this.#reach(atMs)
    ;(this.#kinds[kind] as Counted).errors++
  }

  /**
   * The loop is over: what was counted since the last interval is one too, if it lasted.
   *
   * @param countedMs the time that its rates are of
   * @returns the intervals; those of a loop of more than half an hour are longer than the ones that were told
   */
  end(countedMs: number): readonly IntervalSample[] {
    const endMs = Math.min(countedMs, this.#untilMs)
    this.#reach(endMs)
    if (endMs > this.#atMs) this.#close(endMs - this.#atMs)
    return [...this.#kept, ...coarser(this.#next, this.#keptMs)]
  }

  /** Intervals in which nothing ended are there as well: a stall shows. */
  #reach(atMs: number): void {
    while (atMs >= this.#atMs + this.#lengthMs) this.#close(this.#lengthMs)
  }

  #close(lengthMs: number): void {
    const kinds = this.#kinds.map(({ times, errors }) => ({ errors, times: histogramJson(times) }))
    const interval = { atMs: this.#atMs, lengthMs, kinds }
    this.#atMs += lengthMs
    this.#kinds = this.#kinds.map(cleared)
    this.#keep(interval)
    this.#onInterval?.(interval)
  }

  #keep(interval: IntervalSample): void {
    this.#next.push(interval)
    if (this.#next.length * this.#lengthMs < this.#keptMs) return
    this.#kept.push(...coarser(this.#next, this.#keptMs))
    this.#next = []
    if (this.#kept.length < mostKept) return
    this.#keptMs *= 2
    this.#kept = [...coarser(this.#kept, this.#keptMs)]
  }
}

function nothing(): Counted {
  return { times: new Histogram({ precisionBits }), errors: 0 }
}

function cleared(counted: Counted): Counted {
  return counted.times.count === 0 ? { times: counted.times, errors: 0 } : nothing()
}
