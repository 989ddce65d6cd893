import {
  type Awaitable,
  areAtHand,
  type CallOptions,
  type Mutation,
  type Store,
  type WriteResult,
} from '@unikv/core'
import type { RecentCalls } from '../recent-calls.ts'
import type { StoreMeters, WriteMeter } from './store-meters.ts'

type Results = readonly WriteResult[]

/** The items of a call that have one type. */
interface Part {
  readonly meter: WriteMeter
  /** The places of its items in the call. */
  readonly places: readonly number[]
  readonly startedAt: number
}

/** Counts writes of several types, which `write` of KeyValue and write-behind make: a call of each type. */
export function mixedWrites(
  inner: Pick<Store<unknown>, 'name' | 'write'>,
  meters: () => StoreMeters,
  calls: RecentCalls,
): (mutations: readonly Mutation<unknown>[], call: CallOptions) => Awaitable<Results> {
  return (mutations, call) => {
    const parts = Array.from(
      meters().mixed(mutations),
      ([meter, places]): Part => ({ meter, places, startedAt: meter.start() }),
    )
    try {
      const answer = inner.write(mutations, call)
      if (!areAtHand(answer)) return awaited({ store: inner.name, calls }, answer, parts, call)
      for (const part of parts) answered(part, part.meter.count(its(answer, part.places)))
      return answer
    } catch (error) {
      for (const part of parts) answered(part, failed(part, error))
      throw error
    }
  }

  function answered({ meter, places: { length: items }, startedAt }: Part, failed: number): void {
    if (startedAt !== -1)
      calls.atOnce(inner.name, meter, { items, failed, durationMs: meter.timed(startedAt) })
  }
}

/** The part failed as a whole: the number of its items. */
function failed({ meter, places: { length } }: Part, error: unknown): number {
  meter.failed(error, length)
  return length
}

async function awaited(
  { store, calls }: { readonly store: string; readonly calls: RecentCalls },
  answer: Promise<Results>,
  parts: readonly Part[],
  call: CallOptions,
): Promise<Results> {
  const waiting = parts.map((part): Part => ({ ...part, startedAt: part.meter.waits(part.startedAt) }))
  const ended = (failedOf: (part: Part) => number): void => {
    for (const part of waiting) {
      const durationMs = part.meter.settled(part.startedAt, call)
      calls.awaited(store, part.meter, { items: part.places.length, failed: failedOf(part), durationMs })
    }
  }
  try {
    const results = await answer
    ended(({ meter, places }) => meter.count(its(results, places)))
    return results
  } catch (error) {
    ended((part) => failed(part, error))
    throw error
  }
}

function its(results: Results, places: readonly number[]): Results {
  return places.map((i) => results[i] as WriteResult)
}
