import { areAtHand, type CallOptions, type Store } from '@unikv/core'
import { tracedStore } from './channels/traced-store.ts'
import type { Counts } from './counts.ts'
import type { Meter } from './meters/meter.ts'
import { mixedWrites } from './meters/mixed-writes.ts'
import type { RecentCalls } from './recent-calls.ts'
import { watchedFind, watchedPages } from './scanning.ts'

/** The verbs of a store, counted and traced. */
export function watched(
  below: Store<unknown>,
  counts: Counts,
): Pick<Store<unknown>, 'read' | 'write' | 'scan' | 'find'> {
  const inner = tracedStore(below)
  const { name: store } = inner
  const { calls } = counts
  const slot = counts.slotBelow(below)
  const waits = waitingFor(store, calls)
  const ended = endingAtOnce(store, calls)
  const mixed = mixedWrites(inner, () => slot.meters, calls)
  // As short as can be, for a hit to be inlined.
  return {
    read: (reads, call) => {
      const meter = slot.meters.read
      const startedAt = meter.start()
      try {
        const results = inner.read(reads, call)
        if (!areAtHand(results)) return waits(results, meter, reads, call, startedAt)
        if (startedAt === -1) meter.count(results, call, reads)
        else ended.answered(results, meter, reads, call, startedAt)
        return results
      } catch (error) {
        throw ended.threw(error, meter, reads, startedAt)
      }
    },
    write: (mutations, call) => {
      const meter = slot.meters.write(mutations)
      if (meter === undefined) return mixed(mutations, call)
      const startedAt = meter.start()
      try {
        const results = inner.write(mutations, call)
        if (!areAtHand(results)) return waits(results, meter, mutations, call, startedAt)
        if (startedAt === -1) meter.count(results)
        else ended.answered(results, meter, mutations, call, startedAt)
        return results
      } catch (error) {
        throw ended.threw(error, meter, mutations, startedAt)
      }
    },
    scan: (range, call) =>
      watchedPages(inner.scan(range, call), { meter: slot.meters.scan, store, calls }, call),
    ...(inner.find !== undefined && {
      find: watchedFind(inner.find, { meter: slot.meters.find, store, calls }),
    }),
  }
}

/** A meter that looks into results of its kind, and says how many of them are errors. */
interface Counting<R, I> extends Meter {
  count(results: readonly R[], call: CallOptions, items: readonly I[]): number
}

/** Counts timed calls to a store that are answered without a promise. */
function endingAtOnce(store: string, calls: RecentCalls) {
  return {
    answered<R, I>(
      results: readonly R[],
      meter: Counting<R, I>,
      asked: readonly I[],
      call: CallOptions,
      startedAt: number,
    ): void {
      const durationMs = meter.timed(startedAt)
      calls.atOnce(store, meter, {
        items: asked.length,
        failed: meter.count(results, call, asked),
        durationMs,
      })
    },

    /** Returns the error, to be thrown on. */
    threw(error: unknown, meter: Meter, { length: items }: readonly unknown[], startedAt: number): unknown {
      meter.failed(error, items)
      if (startedAt !== -1)
        calls.atOnce(store, meter, { items, failed: items, durationMs: meter.timed(startedAt) })
      return error
    },
  }
}

/** Counts calls to a store that are answered by promise. */
function waitingFor(store: string, calls: RecentCalls) {
  return <R, I>(
    answer: Promise<readonly R[]>,
    meter: Counting<R, I>,
    asked: readonly I[],
    call: CallOptions,
    maybeStartedAt: number,
  ): Promise<readonly R[]> => {
    const startedAt = meter.waits(maybeStartedAt)
    const { length: items } = asked
    return answer.then(
      (results) => {
        const durationMs = meter.settled(startedAt, call)
        calls.awaited(store, meter, { items, failed: meter.count(results, call, asked), durationMs })
        return results
      },
      (error: unknown) => {
        const durationMs = meter.settled(startedAt, call)
        meter.failed(error, items)
        calls.awaited(store, meter, { items, failed: items, durationMs })
        throw error
      },
    )
  }
}
