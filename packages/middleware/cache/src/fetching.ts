import {
  type Awaitable,
  andThen,
  type CallOptions,
  isEntry,
  isLive,
  isPromise,
  isStoreError,
  type Read,
} from '@unikv/core'
import { alone, another, asAsked, Failure, type Found } from './answer.ts'
import type { Counters } from './cache-stats.ts'
import type { Flights } from './flights.ts'

/** The ways to an answer that is not at hand. */
export interface Ways {
  readonly flights: Flights
  /** Read as asked; nothing of it is shared or kept. */
  direct(reads: readonly Read[], call: CallOptions): Awaitable<readonly Found[]>
  /** Whether a read is better made as it was asked than by a load of the whole record. */
  isDirect(read: Read): boolean
  /** Whether readers may join loads that began before they came. */
  readonly mayJoin: boolean
  /** Wall clock in milliseconds. */
  readonly clock: () => number
  readonly counters: Counters
}

/**
 * Answer reads that the tier could not answer at once: by joining loads under way, by one call that loads the
 * others, and directly where the body is not wanted or the call names a consistency level of the store.
 */
export function fetch(reads: readonly Read[], call: CallOptions, ways: Ways): Awaitable<readonly Found[]> {
  const { consistency } = call
  if (consistency !== undefined && consistency !== 'strong') return direct(reads, call, ways)
  const arrived = ways.flights.arrive()
  if (reads.length === 1) return andThen(fetchOne(reads[0] as Read, call, ways, arrived), (found) => [found])
  const found: Awaitable<Found>[] = reads.map((read) => joinLoad(read, call, ways, arrived))
  const rest = Array.from(reads.keys()).filter((i) => found[i] === undefined)
  const isDirect = (i: number) => ways.isDirect(reads[i] as Read)
  const place = (at: readonly number[], run: typeof load) => {
    if (at.length === 0) return
    const answered = run(
      at.map((i) => reads[i] as Read),
      call,
      ways,
    )
    for (const [j, i] of at.entries()) found[i] = andThen(answered, (all) => all[j])
  }
  const asIs = rest.filter(isDirect)
  const whole = rest.filter((i) => !isDirect(i))
  place(asIs, direct)
  place(whole, load)
  return found.some((one) => isPromise(one)) ? Promise.all(found.map(async (one) => one)) : (found as Found[])
}

function fetchOne(read: Read, call: CallOptions, ways: Ways, arrived: number): Awaitable<Found> {
  const joined = joinLoad(read, call, ways, arrived)
  if (joined !== undefined) return joined
  const found = ways.isDirect(read) ? direct([read], call, ways) : load([read], call, ways)
  return andThen(found, ([one]) => one)
}

/** Wait for a load that is under way, if there is one that this call may wait for. */
function joinLoad(read: Read, call: CallOptions, ways: Ways, arrived: number): Promise<Found> | undefined {
  if (call.consistency === 'strong' || !ways.mayJoin) return undefined
  const joined = ways.flights.join(read.key, call)
  if (joined === undefined) return undefined
  ways.counters.joins++
  return joined.landing.then((answer) => {
    const found = another(answer)
    // It looked before he came. Whatever is under way now has looked since.
    if (arrived > joined.flight.validFor && !isFailure(found)) return fetchOne(read, call, ways, arrived)
    // What expired while it was on its way was perhaps gone already when this reader came.
    return found === alone || hasExpired(found, ways)
      ? andThen(load([read], call, ways), ([one]) => one)
      : asAsked(read, found)
  })
}

function isFailure(found: Found | typeof alone): boolean {
  return found instanceof Failure || isStoreError(found)
}

function hasExpired(found: Found, { clock }: Ways): boolean {
  return (
    !(found instanceof Failure) &&
    isEntry(found) &&
    found.expiresAt !== undefined &&
    !isLive(found.expiresAt, clock())
  )
}

function load(reads: readonly Read[], call: CallOptions, { flights }: Ways): Awaitable<readonly Found[]> {
  return andThen(flights.start(reads, call), (answers) =>
    answers.map(({ result }, i) => asAsked(reads[i] as Read, result)),
  )
}

function direct(reads: readonly Read[], call: CallOptions, ways: Ways): Awaitable<readonly Found[]> {
  return orFailure(reads, () => ways.direct(reads, call))
}

/** The results of a call, or its failure in the place of each. */
export function orFailure<T>(
  items: readonly unknown[],
  run: () => Awaitable<readonly T[]>,
): Awaitable<readonly (T | Failure)[]> {
  const failed = (error: unknown) => items.map(() => new Failure(error))
  try {
    const results = run()
    return isPromise(results) ? results.catch(failed) : results
  } catch (error) {
    return failed(error)
  }
}
