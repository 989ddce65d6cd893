import type { Bytes, KeyValue } from '@unikv/core'
import { Histogram, histogramJson } from '@unikv/core/histogram'
import { isError } from '@unikv/core/platform'
import { constantRate } from '../../../loop/arrivals.ts'
import type { LoopClock } from '../../../loop/clock.ts'
import { openLoop } from '../../../loop/open-loop.ts'
import { operations } from '../../../loop/operations.ts'
import { verdict } from '../../../loop/verdict.ts'
import { type Followed, follow, type Reader, type Seen, type Timing } from './follow.ts'
import type { StaleSample } from './sample.ts'
import { valueOf } from './version-value.ts'

/** A run of writes, each of which several readers follow. */
export interface StaleRequest {
  readonly writer: Pick<KeyValue<string, Bytes>, 'set'>
  readonly readers: readonly Reader[]
  /** The number of the next write: they rise from run to run. */
  readonly nextWrite: () => number
  readonly probes: number
  readonly probeRate: number
  readonly delaysMs: readonly number[]
  readonly horizonMs: number
  readonly valueSize: number
  readonly clock: LoopClock
  readonly signal: AbortSignal
}

/**
 * Write at a steady rate, and have all readers follow each write. Only counts and a histogram are kept, so memory does not grow with the writes.
 *
 * @throws the reason of the signal
 */
export async function staleRun(request: StaleRequest): Promise<StaleSample> {
  const { probes, probeRate, horizonMs, clock, signal } = request
  const tally = new StaleTally(request)
  const keys = new FreeKeys()
  const result = await openLoop(
    operations('probe', async () => {
      const key = keys.take()
      try {
        await probe(request, tally, key)
      } finally {
        keys.give(key)
      }
    }),
    {
      arrivals: constantRate(probeRate),
      operations: probes,
      maxInFlight: 16 + Math.ceil((2 * probeRate * horizonMs) / 1_000),
      whenFull: 'queue',
      clock,
      signal,
    },
  )
  signal.throwIfAborted()
  // The times are those of the reads, so it does no harm if some began late.
  const invalid = verdict(result, { missedShare: 1, lagMs: Infinity })
  return tally.sample(invalid.map(({ message }) => message))
}

async function probe(request: StaleRequest, tally: StaleTally, key: string): Promise<void> {
  const { writer, readers, nextWrite, valueSize, clock } = request
  const write = nextWrite()
  try {
    await writer.set(key, valueOf(write, valueSize))
  } catch (error) {
    tally.writeFailed(error)
    return
  }
  const written = { key, write, acknowledgedAt: clock.now() }
  const timing: Timing = request
  const all = readers.map((reader, index) =>
    follow(reader, written, timing, (seen, place, atMs) => tally.read(index, place, seen, atMs)),
  )
  tally.followed(await Promise.all(all))
}

/** Keys that no write is followed on: a key is written again only when all readers are done with it. */
class FreeKeys {
  readonly #free: string[] = []
  #made = 0

  take(): string {
    return this.#free.shift() ?? `key ${this.#made++}`
  }

  give(key: string): void {
    this.#free.push(key)
  }
}

/** The counts of one reader, as they grow. */
interface Counts {
  readonly name: string
  readonly points: readonly { reads: number; stale: number; sumMs: number }[]
  saw: number
  wentBack: number
  errors: number
}

class StaleTally {
  readonly #readers: readonly Counts[]
  readonly #seenLater = new Histogram()
  #writes = 0
  #writeErrors = 0
  #firstError: string | null = null
  #seenAtOnce = 0
  #unseen = 0
  #unknown = 0

  constructor({ readers, delaysMs }: Pick<StaleRequest, 'readers' | 'delaysMs'>) {
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
