import type { Bytes, KeyValue } from '@unikv/core'
import { constantRate } from '../../../loop/arrivals.ts'
import type { LoopClock } from '../../../loop/clock.ts'
import { openLoop } from '../../../loop/open-loop.ts'
import { operations } from '../../../loop/operations.ts'
import { verdict } from '../../../loop/verdict.ts'
import { follow, type Reader, type Timing, valueOf } from './follow.ts'
import { type StaleSample, StaleTally } from './tally.ts'

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
