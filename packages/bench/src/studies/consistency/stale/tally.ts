import { Histogram, type HistogramJson, histogramJson } from '@unikv/core/histogram'
import { isError } from '@unikv/core/platform'
import type { Followed, Reader, Seen } from './follow.ts'

/** The measurements of one run of writes that are followed by reads. Times count from the acknowledgement of a write. */
export interface StaleSample {
  /** Writes that were acknowledged. */
  readonly writes: number
  /** Writes that failed; no reader follows them. */
  readonly writeErrors: number
  /** The first failure of a write or a read. */
  readonly firstError: string | null
  readonly readers: readonly ReaderSample[]
  /** Writes that all readers saw whenever they looked. */
  readonly seenAtOnce: number
  /** Nanoseconds until all readers saw the others. */
  readonly seenLater: HistogramJson
  /** Writes that a reader did not see within the horizon. */
  readonly unseen: number
  /** Writes of which a reader was never told anything: all its reads failed. */
  readonly unknown: number
  /** Why the run says nothing about the store; empty for a good one. */
  readonly invalid: readonly string[]
}

/** The reads of one reader. */
export interface ReaderSample {
  readonly name: string
  /** Aligned with the delays of the configuration. */
  readonly points: readonly PointSample[]
  /** Writes that it saw at least once. */
  readonly saw: number
  /** Writes that it saw, and then read the older value again. */
  readonly wentBack: number
  /** Reads that failed, those between the delays included. */
  readonly errors: number
}

/** The reads that were planned, and began at one delay or later, but before the next one. */
export interface PointSample {
  /** Those that succeeded. */
  readonly reads: number
  /** Those that gave an older value than the one that was acknowledged before, or none. */
  readonly stale: number
  /** The sum of the times at which they began. */
  readonly sumMs: number
}

/** The readers that it counts. */
interface Counted {
  readonly readers: readonly Reader[]
  readonly delaysMs: readonly number[]
}

/** The counts of one reader, as they grow. */
interface Counts {
  readonly name: string
  readonly points: readonly { reads: number; stale: number; sumMs: number }[]
  saw: number
  wentBack: number
  errors: number
}

/** Counts what readers saw. */
export class StaleTally {
  readonly #readers: readonly Counts[]
  readonly #seenLater = new Histogram()
  #writes = 0
  #writeErrors = 0
  #firstError: string | null = null
  #seenAtOnce = 0
  #unseen = 0
  #unknown = 0

  constructor({ readers, delaysMs }: Counted) {
    this.#readers = readers.map(({ name }) => ({
      name,
      points: delaysMs.map(() => ({ reads: 0, stale: 0, sumMs: 0 })),
      saw: 0,
      wentBack: 0,
      errors: 0,
    }))
  }

  writeFailed(error: unknown): void {
    this.#writeErrors++
    this.#note(error)
  }

  read(reader: number, place: number | null, seen: Seen, atMs: number): void {
    const own = this.#readers[reader] as Counts
    if (typeof seen === 'object') {
      own.errors++
      this.#note(seen.error)
      return
    }
    const point = place === null ? undefined : own.points[place]
    if (point === undefined) return
    point.reads++
    point.sumMs += atMs
    if (seen === 'stale') point.stale++
  }

  followed(all: readonly Followed[]): void {
    this.#writes++
    for (const [index, { saw, wentBack }] of all.entries()) {
      const own = this.#readers[index] as Counts
      if (saw) own.saw++
      if (wentBack) own.wentBack++
    }
    const times = all.map(({ seenMs }) => seenMs)
    if (times.includes(null)) this.#unseen++
    else if (times.includes(undefined)) this.#unknown++
    else this.#seen(Math.max(...(times as readonly number[])))
  }

  sample(invalid: readonly string[]): StaleSample {
    return {
      writes: this.#writes,
      writeErrors: this.#writeErrors,
      firstError: this.#firstError,
      readers: this.#readers,
      seenAtOnce: this.#seenAtOnce,
      seenLater: histogramJson(this.#seenLater),
      unseen: this.#unseen,
      unknown: this.#unknown,
      invalid,
    }
  }

  #seen(ms: number): void {
    if (ms === 0) this.#seenAtOnce++
    else this.#seenLater.record(ms * 1e6)
  }

  #note(error: unknown): void {
    this.#firstError ??= isError(error) ? error.message : String(error)
  }
}
