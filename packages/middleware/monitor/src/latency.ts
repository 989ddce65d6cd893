import { Histogram } from '@unikv/core/histogram'
import type { LatencySnapshot } from './snapshot.ts'

/** How many latencies are kept before they are sorted in. */
const room = 64

/** 64 buckets for each power of two: a percentile is off by at most 1/128 of its value. */
const precisionBits = 6

/** An empty histogram of nanoseconds, as a monitor keeps them. */
function newHistogram(): Histogram {
  return new Histogram({ precisionBits })
}

/** Latencies, some kept as they came: to sort them in takes longer than to put them down. */
export class Latency {
  /** Latencies recorded since the last `take`. */
  #latest: Histogram | undefined
  /** Latencies recorded before. */
  #earlier: Histogram | undefined
  readonly #unsorted = new Float64Array(room)
  #kept = 0

  record(ms: number): void {
    this.#unsorted[this.#kept++] = ms
    if (this.#kept === room) this.#sortIn()
  }

  /** The latencies recorded since the last call of this, in nanoseconds; `undefined`: none. */
  take(): Histogram | undefined {
    this.#sortIn()
    const taken = this.#latest
    if (taken === undefined) return undefined
    this.#latest = undefined
    if (this.#earlier === undefined) this.#earlier = newHistogram()
    this.#earlier.merge(taken)
    return taken
  }

  snapshot(count: number): LatencySnapshot {
    const all = this.all()
    return all === undefined ? { count, ...untimed } : { count, ...timesOf(all) }
  }

  /** All latencies, in nanoseconds; `undefined`: none. */
  all(): Histogram | undefined {
    this.#sortIn()
    if (this.#latest === undefined || this.#earlier === undefined) return this.#latest ?? this.#earlier
    const all = newHistogram()
    all.merge(this.#earlier)
    all.merge(this.#latest)
    return all
  }

  #sortIn(): void {
    if (this.#kept === 0) return
    this.#latest ??= newHistogram()
    for (let i = 0; i < this.#kept; i++) this.#latest.record((this.#unsorted[i] as number) * 1e6)
    this.#kept = 0
  }
}

/** The usual figures of a histogram of nanoseconds that holds something. */
export function timesOf(histogram: Histogram): Omit<LatencySnapshot, 'count'> {
  const percentileMs = (percent: number) => histogram.percentile(percent) / 1e6
  return {
    timed: histogram.count,
    minMs: histogram.min / 1e6,
    meanMs: histogram.mean / 1e6,
    p50Ms: percentileMs(50),
    p90Ms: percentileMs(90),
    p99Ms: percentileMs(99),
    p999Ms: percentileMs(99.9),
    maxMs: histogram.max / 1e6,
  }
}

/** The figures of latencies none of which was timed. */
export const untimed = { timed: 0, minMs: 0, meanMs: 0, p50Ms: 0, p90Ms: 0, p99Ms: 0, p999Ms: 0, maxMs: 0 }
