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
import { Deadlines, leftMs, type Waiting } from '@unikv/core/adapter'
import type { Counters } from '../cache-stats.ts'
import { type Answer, alone, another, asAsked, Failure, type Found } from './answer.ts'
import type { Flight, Flights } from './flights.ts'

/** The ways to an answer that is not at hand. */
export interface Ways {
  readonly flights: Flights
  /** Read as asked; nothing of it is shared or kept. */
  direct(reads: readonly Read[], call: CallOptions): Awaitable<readonly Found[]>
  /** What could be answered at once by now. */
  atHand(read: Read, call: CallOptions): { readonly found: Found } | undefined
  /** Whether a read is better made as it was asked than by a load of the whole record. */
  isDirect(read: Read): boolean
  /** Whether readers may join loads that began before they came. */
  readonly mayJoin: boolean
  /** Whether readers of one load get the same value if it can be neither frozen nor copied. */
  readonly mayHandOut: boolean
  /** Longest wait for a load that somebody else began. */
  readonly joinMs: number
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

function fetchOne(
  read: Read,
  call: CallOptions,
  ways: Ways,
  arrived: number,
  tried?: Flight,
): Awaitable<Found> {
  const joined = joinLoad(read, call, ways, arrived, tried)
  if (joined !== undefined) return joined
  const found = ways.isDirect(read) ? direct([read], call, ways) : load([read], call, ways)
  return andThen(found, ([one]) => one)
}

/**
 * Wait for a load that is under way, if there is one that this call may wait for: its request may be lost, so the caller
 * keeps half of its time for one of its own. `tried`: the one that it has waited for.
 */
function joinLoad(
  read: Read,
  call: CallOptions,
  ways: Ways,
  arrived: number,
  tried?: Flight,
): Promise<Found> | undefined {
  if (call.consistency === 'strong' || !ways.mayJoin || ways.flights.loadOf(read.key) === tried)
    return undefined
  const joined = ways.flights.join(read.key, call)
  if (joined === undefined) return undefined
  ways.counters.joins++
  const { flight, landing } = joined
  return inTime(landing, waitOf(call, ways)).then((answer) => {
    if (answer === late) return onceMore(read, call, ways, arrived, flight)
    const found = another(answer, ways.mayHandOut)
    if (found === undefined) flight.tellAbsence(call)
    // It looked before he came. Whatever is under way now has looked since.
    if (arrived > flight.validFor && !isFailure(found)) return fetchOne(read, call, ways, arrived)
    // What expired while it was on its way was perhaps gone already when this reader came.
    return found === alone || hasExpired(found, ways)
      ? andThen(load([read], call, ways), ([one]) => one)
      : asAsked(read, found)
  })
}

/** Without the load that has not ended in time: somebody else may have made another meanwhile. */
function onceMore(
  read: Read,
  call: CallOptions,
  ways: Ways,
  arrived: number,
  tried: Flight,
): Awaitable<Found> {
  const there = ways.atHand(read, call)
  return there === undefined ? fetchOne(read, call, ways, arrived, tried) : there.found
}

/** Half of a short time is too little for a load. */
const leastHalfMs = 50

function waitOf(call: CallOptions, { joinMs }: Ways): number {
  const halfMs = leftMs(call) / 2
  return Math.min(joinMs, halfMs < leastHalfMs ? Number.POSITIVE_INFINITY : halfMs)
}

const late: unique symbol = Symbol('late')

/** All who wait for loads of others: one timer, which does not count time in which the process did not run. */
const deadlines = new Deadlines<Joining>()

/** A reader who waits for the load of another, for a while. */
class Joining implements Waiting {
  readonly answer: Promise<Answer | typeof late>
  #resolve: (answer: Answer | typeof late) => void = () => {}
  expiresAt = 0
  place = -1

  constructor(landing: Promise<Answer>, ms: number) {
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve
    })
    deadlines.add(ms, this)
    // It never rejects.
    void landing.then((answer) => {
      deadlines.remove(this)
      this.#resolve(answer)
    })
  }

  expire(): void {
    this.#resolve(late)
  }
}

function inTime(landing: Promise<Answer>, ms: number): Promise<Answer | typeof late> {
  return ms === Number.POSITIVE_INFINITY ? landing : new Joining(landing, Math.max(0, ms)).answer
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
