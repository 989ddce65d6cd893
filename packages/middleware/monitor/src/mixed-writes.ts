import {
  type Awaitable,
  areAtHand,
  type CallOptions,
  type Mutation,
  type Store,
  type WriteResult,
} from '@unikv/core'
import { told } from './publishing.ts'
import type { StoreMeters, WriteMeter } from './store-meters.ts'

type Results = readonly WriteResult[]

/** What a call has of one type. */
interface Part {
  readonly meter: WriteMeter
  /** Of its items in the call. */
  readonly places: readonly number[]
  readonly startedAt: number
}

/** Counts writes of several types, which `write` of KeyValue and write-behind make: a call of each type. */
export function mixedWrites(
  inner: Store<unknown>,
  meters: () => StoreMeters,
): (mutations: readonly Mutation<unknown>[], call: CallOptions) => Awaitable<Results> {
  return (mutations, call) => {
    const parts = Array.from(
      meters().mixed(mutations),
      ([meter, places]): Part => ({ meter, places, startedAt: meter.start() }),
    )
    try {
      const answer = inner.write(mutations, call)
      if (!areAtHand(answer)) return awaited(inner.name, answer, parts, call)
      for (const { meter, places, startedAt } of parts) {
        if (startedAt !== -1) meter.timed(startedAt)
        meter.count(its(answer, places))
      }
      return answer
    } catch (error) {
      for (const { meter, places, startedAt } of parts) meter.threw(error, places, startedAt)
      throw error
    }
  }
}

async function awaited(
  store: string,
  answer: Promise<Results>,
  parts: readonly Part[],
  call: CallOptions,
): Promise<Results> {
  const waiting = parts.map((part): Part => ({ ...part, startedAt: part.meter.waits(part.startedAt) }))
  const ended = (failedOf: (part: Part) => number): void => {
    for (const part of waiting) {
      const durationMs = part.meter.settled(part.startedAt, call)
      told(store, part.meter, { items: part.places.length, failed: failedOf(part), durationMs })
    }
  }
  try {
    const results = await answer
    ended(({ meter, places }) => meter.count(its(results, places)))
    return results
  } catch (error) {
    ended(({ meter, places: { length } }) => {
      meter.failed(error, length)
      return length
    })
    throw error
  }
}

function its(results: Results, places: readonly number[]): Results {
  return places.map((i) => results[i] as WriteResult)
}
