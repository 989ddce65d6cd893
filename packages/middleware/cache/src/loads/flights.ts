import {
  type Awaitable,
  type CallOptions,
  isPromise,
  isStoreError,
  isWritten,
  type Read,
  type WriteResult,
} from '@unikv/core'
import { setTimeout } from '@unikv/core/platform'
import { type Answer, Failure } from './answer.ts'
import { LoadCall } from './load-call.ts'

/** So many loads of a key remember each other; those before may land late, and then cost a load more. */
const mostFollowed = 8
/** So many keys may be loaded at a time before those are looked for that never land. */
const leastSwept = 1_000

/** One key that is being loaded. */
export class Flight {
  readonly key: string
  /**
   * The last arrival that its answer serves. Infinity where this process alone writes: what it writes ends the flight for
   * those who come later. Otherwise it serves those who came before it looked, unless it is shown to be still the same.
   */
  validFor: number
  /** A write began, or a later load: what this one brings may be handed out, but must not be kept. */
  overtaken: boolean
  /** Whether a later load of the key has begun, and none has answered yet: readers may learn from this one what nobody keeps. */
  followed = false
  #before: Flight | undefined
  #depth = 0
  /** Whether others than its starter wait for it. */
  joined = false
  #load: LoadCall | undefined
  #landing: Promise<Answer> | undefined

  constructor(key: string, overtaken: boolean, validFor: number = Number.POSITIVE_INFINITY) {
    this.key = key
    this.overtaken = overtaken
    this.validFor = validFor
  }

  /** Note that it overtakes another load. */
  follow(before: Flight): void {
    before.giveUp()
    this.#depth = (before.#depth + 1) % mostFollowed
    if (this.#depth > 0) this.#before = before
  }

  /** Nothing of it is to be kept, and whoever hears of it may learn what nobody keeps. */
  giveUp(): void {
    this.overtaken = true
    this.followed = true
  }

  /** Note that it was answered: what earlier loads bring is older. */
  answered(): void {
    let before = this.#before
    this.#before = undefined
    while (before !== undefined) {
      before.followed = false
      const next = before.#before
      before.#before = undefined
      before = next
    }
  }

  /** Note that it takes time. Without `landing` nobody can join it. */
  depart(load: LoadCall, landing?: Promise<Answer>): void {
    this.#load = load
    this.#landing = landing
  }

  /** Whether it may never land. */
  get isOverdue(): boolean {
    return this.#load?.isOverdue === true
  }

  /** Note for one who has joined who answered that there is nothing. */
  tellAbsence(caller: CallOptions): void {
    this.#load?.tellAbsence(caller, this.key)
  }

  /** What it will bring, if this caller can wait for it. */
  join(caller: CallOptions): Promise<Answer> | undefined {
    if (this.#load?.join(caller) !== true) return undefined
    this.joined = true
    return this.#landing
  }
}

/** A load that one more reader waits for. */
export interface Joined {
  readonly flight: Flight
  readonly landing: Promise<Answer>
}

/** Writes of a key that are under way, or in doubt. */
interface Writing {
  count: number
  /** Whether there were several at a time, so that nobody knows which one the store took last. */
  isMixed: boolean
}

/** Is told which mutation was acknowledged, while no other write of its key was under way or in doubt. */
export type Keep = (i: number, result: WriteResult) => void

/** How long after a write of unknown outcome its key is treated as still being written. */
export const doubtForMs = 10_000

/** Load keys, keep what may be kept, and answer each. An error of it is the answer to each. */
export type Work = (flights: readonly Flight[], load: LoadCall) => Awaitable<readonly Answer[]>

/**
 * What is under way, key by key: loads, which concurrent readers share, and writes, which no load may outlive in
 * a cache. A load that was under way when a write began or ended is *overtaken*: its readers are answered (they
 * are concurrent with the write), but nothing of it is kept and nobody joins it any more. So there is no counter
 * a key, and keys at rest cost nothing.
 */
export class Flights {
  readonly #flights = new Map<string, Flight>()
  /** Loads that nobody joins, of keys that are answered meanwhile from what is kept. */
  readonly #aside = new Map<string, Flight>()
  readonly #writing = new Map<string, Writing>()
  readonly #work: Work
  readonly #drop: (key: string) => void
  readonly #othersWrite: boolean
  #arrivals = 0
  #sweepAt = leastSwept

  /**
   * `drop` forgets what is kept of a key; it is called when a write of it begins and ends. `othersWrite`: readers must
   * not be told what was read before they came, as another process may have written since.
   */
  constructor(work: Work, drop: (key: string) => void = () => {}, othersWrite = false) {
    this.#work = work
    this.#drop = drop
    this.#othersWrite = othersWrite
  }

  /** The number of a reader who comes now. */
  arrive(): number {
    return ++this.#arrivals
  }

  /** How many have come by now. */
  get arrivals(): number {
    return this.#arrivals
  }

  /** The answer of a load of this key that is under way, if there is one that this caller can wait for. */
  join(key: string, caller: CallOptions): Joined | undefined {
    const flight = this.#flights.get(key)
    const landing = flight?.join(caller)
    return flight === undefined || landing === undefined ? undefined : { flight, landing }
  }

  /** The load of this key that is under way and will be kept. */
  loadOf(key: string): Flight | undefined {
    return this.#flights.get(key)
  }

  /** Whether a load of this key is under way that will be kept. */
  isLoading(key: string): boolean {
    return this.#flights.has(key)
  }

  /** The same, and it may be expected to land. */
  isRenewing(key: string): boolean {
    return this.#flights.get(key)?.isOverdue === false
  }

  /**
   * Load these keys in one call. Loads of them that are under way already are overtaken. `isBehind`: the caller does not
   * wait for it.
   */
  start(reads: readonly Read[], caller: CallOptions, isBehind = false): Awaitable<readonly Answer[]> {
    const load = new LoadCall(caller, isBehind)
    const flights = reads.map(({ key }) => this.#open(key))
    const failed = (error: unknown): readonly Answer[] => {
      this.#end(flights)
      return flights.map(() => ({ result: new Failure(error) }))
    }
    let answers: Awaitable<readonly Answer[]>
    try {
      answers = this.#work(flights, load)
    } catch (error) {
      return failed(error)
    }
    if (!isPromise(answers)) {
      this.#end(flights)
      return answers
    }
    void load.deadlineAt // fixes it now that the load waits
    const landing = answers.then((landed) => {
      this.#end(flights)
      return landed
    }, failed)
    for (const [i, flight] of flights.entries())
      flight.depart(
        load,
        landing.then((landed) => landed[i] as Answer),
      )
    return landing
  }

  /** Run a write of these keys: whatever was read before its end is kept nowhere. */
  write<T extends readonly WriteResult[]>(
    keys: readonly string[],
    run: () => Awaitable<T>,
    keep?: Keep,
  ): Awaitable<T> {
    for (const key of keys) {
      const writing = this.#writing.get(key)
      if (writing === undefined) this.#writing.set(key, { count: 1, isMixed: false })
      else {
        writing.count++
        writing.isMixed = true
      }
      this.#overtake(key)
    }
    let results: Awaitable<T>
    try {
      results = run()
    } catch (error) {
      this.#failed(keys, error)
      throw error
    }
    if (!isPromise(results)) {
      this.#written(keys, results, keep)
      return results
    }
    return results.then(
      (written) => {
        this.#written(keys, written, keep)
        return written
      },
      (error: unknown) => {
        this.#failed(keys, error)
        throw error
      },
    )
  }

  /** Whether a write of this key is under way or in doubt. */
  isWriting(key: string): boolean {
    return this.#writing.has(key)
  }

  /** Whether one write of this key is under way, and none other was since it began, nor is in doubt. */
  isWrittenAlone(key: string): boolean {
    return this.#writing.get(key)?.isMixed === false
  }

  /**
   * Note that a key is being looked up, which nobody may join; `undefined` where it is being loaded or written. Close it
   * with `close`.
   */
  watch(key: string): Flight | undefined {
    return this.isRenewing(key) || this.isWriting(key) ? undefined : this.#open(key)
  }

  /** The end of `watch`. */
  close(flight: Flight): void {
    this.#end([flight])
  }

  /**
   * Note that a key is loaded aside: nobody joins it, and later loads do not overtake it, but writes do. `undefined` where
   * that, or a write, is under way. Close it with `closeAside`.
   */
  openAside(key: string, load: LoadCall): Flight | undefined {
    const before = this.#aside.get(key)
    if (before?.isOverdue === false || this.isWriting(key)) return undefined
    if (before !== undefined) before.overtaken = true
    const flight = new Flight(key, false)
    flight.depart(load)
    this.#aside.set(key, flight)
    return flight
  }

  /** The end of `openAside`. */
  closeAside(flight: Flight): void {
    if (this.#aside.get(flight.key) === flight) this.#aside.delete(flight.key)
  }

  /** Let nothing that is under way now be kept, of keys that start with one of these. */
  overtakeAll(prefixes: readonly string[] = ['']): void {
    const isMeant = (key: string): boolean => prefixes.some((prefix) => key.startsWith(prefix))
    for (const [key, writing] of this.#writing) if (isMeant(key)) writing.isMixed = true
    for (const key of [...this.#flights.keys(), ...this.#aside.keys()]) if (isMeant(key)) this.#overtake(key)
  }

  #open(key: string): Flight {
    const before = this.#flights.get(key)
    const validFor = this.#othersWrite ? this.#arrivals : Number.POSITIVE_INFINITY
    const flight = new Flight(key, this.#writing.has(key), validFor)
    if (before !== undefined) flight.follow(before)
    this.#flights.set(key, flight)
    if (this.#flights.size >= this.#sweepAt) this.#sweep()
    return flight
  }

  /** Loads that should have landed long ago never do: a store that hangs must not fill the memory. */
  #sweep(): void {
    for (const [key, flight] of this.#flights) {
      if (!flight.isOverdue) continue
      flight.giveUp()
      this.#flights.delete(key)
    }
    this.#sweepAt = Math.max(leastSwept, 2 * this.#flights.size)
  }

  #end(flights: readonly Flight[]): void {
    for (const flight of flights)
      if (this.#flights.get(flight.key) === flight) this.#flights.delete(flight.key)
  }

  /** Somebody else has written this key: forget what is kept of it, and keep nothing of what is under way. */
  overtake(key: string): void {
    const writing = this.#writing.get(key)
    if (writing !== undefined) writing.isMixed = true
    this.#overtake(key)
  }

  #overtake(key: string): void {
    for (const flights of [this.#flights, this.#aside]) {
      const flight = flights.get(key)
      if (flight === undefined) continue
      flight.overtaken = true
      flights.delete(key)
    }
    this.#drop(key)
  }

  #written(keys: readonly string[], results: readonly WriteResult[], keep: Keep | undefined): void {
    for (const [i, key] of keys.entries()) {
      const result = results[i]
      const wasAlone = this.isWrittenAlone(key)
      this.#wrote(key, isUnknown(result))
      if (wasAlone && result !== undefined && isWritten(result)) keep?.(i, result)
    }
  }

  #failed(keys: readonly string[], error: unknown): void {
    for (const key of keys) this.#wrote(key, isUnknown(error))
  }

  /** A write of unknown outcome may take effect a little later. */
  #wrote(key: string, unknown: boolean): void {
    this.#overtake(key)
    if (unknown) setTimeout(() => this.#release(key), doubtForMs).unref()
    else this.#release(key)
  }

  #release(key: string): void {
    const writing = this.#writing.get(key)
    if (writing !== undefined && --writing.count === 0) this.#writing.delete(key)
  }
}

/** Whether a write, by its result or error, may take effect a little later. */
export function isUnknown(result: unknown): boolean {
  return isStoreError(result) && result.code === 'OUTCOME_UNKNOWN'
}
