import { type Awaitable, type CallOptions, isPromise, type Read, type WriteResult } from '@unikv/core'
import { type Answer, Failure } from './answer.ts'
import { Flight, type Joined } from './flight.ts'
import type { LoadCall } from './load-call.ts'
import { type Keep, WritesUnderWay } from './writes-under-way.ts'

/** So many keys may be loaded at a time before those are looked for that never land. */
const leastSwept = 1_000

/** Load keys, keep what may be kept, and answer each. An error of it is the answer to each. */
export type Work = (flights: readonly Flight[], load: LoadCall) => Awaitable<readonly Answer[]>

/**
 * Calls under way, key by key: loads, which concurrent readers share, and writes, which no load may outlive in
 * a cache. A load that was under way when a write began or ended is *overtaken*: its readers are answered (they
 * are concurrent with the write), but its result is not kept and later callers begin a load of their own. No key
 * needs a counter, and a key with no call under way costs nothing.
 */
export class Flights {
  readonly #flights = new Map<string, Flight>()
  /** Loads that no caller joins, of keys that are answered meanwhile from what is kept. */
  readonly #aside = new Map<string, Flight>()
  readonly #writes = new WritesUnderWay((key) => this.#overtake(key))
  readonly #drop: (key: string) => void
  readonly #othersWrite: boolean
  #arrivals = 0
  #sweepAt = leastSwept

  /**
   * `drop` forgets what is kept of a key; it is called when a write of it begins and ends. `othersWrite`: readers must
   * not be told what was read before they came, as another process may have written since.
   */
  constructor(drop: (key: string) => void = () => {}, othersWrite = false) {
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

  /** Load these keys in one call, by `work`. Loads of them that are under way already are overtaken. */
  start(reads: readonly Read[], load: LoadCall, work: Work): Awaitable<readonly Answer[]> {
    const flights = reads.map(({ key }) => this.#open(key))
    const failed = (error: unknown): readonly Answer[] => {
      this.#end(flights)
      return flights.map(() => ({ result: new Failure(error) }))
    }
    let answers: Awaitable<readonly Answer[]>
    try {
      answers = work(flights, load)
    } catch (error) {
      return failed(error)
    }
    if (isPromise(answers)) return this.#depart(flights, load, answers, failed)
    this.#end(flights)
    return answers
  }

  /** From now on others may join these loads. */
  #depart(
    flights: readonly Flight[],
    load: LoadCall,
    answers: Promise<readonly Answer[]>,
    failed: (error: unknown) => readonly Answer[],
  ): Promise<readonly Answer[]> {
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

  /** Run a write of these keys: what was read before its end is kept nowhere. */
  write<T extends readonly WriteResult[]>(
    keys: readonly string[],
    run: () => Awaitable<T>,
    keep?: Keep,
  ): Awaitable<T> {
    return this.#writes.run(keys, run, keep)
  }

  /** Whether a write of this key is under way or in doubt. */
  isWriting(key: string): boolean {
    return this.#writes.has(key)
  }

  /** Whether one write of this key is under way, and none other was since it began, nor is in doubt. */
  isWrittenAlone(key: string): boolean {
    return this.#writes.isAlone(key)
  }

  /**
   * Note that a key is being looked up, which no caller may join; `undefined` where it is being loaded or written. Close it
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
   * Note that a key is loaded aside: no caller joins it, and later loads do not overtake it, but writes do. `undefined` where
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
    this.#writes.mix(isMeant)
    for (const key of [...this.#flights.keys(), ...this.#aside.keys()]) if (isMeant(key)) this.#overtake(key)
  }

  /** Somebody else has written this key: forget what is kept of it, and keep nothing of what is under way. */
  overtake(key: string): void {
    this.#writes.mixOne(key)
    this.#overtake(key)
  }

  #open(key: string): Flight {
    const before = this.#flights.get(key)
    const validFor = this.#othersWrite ? this.#arrivals : Number.POSITIVE_INFINITY
    const flight = new Flight(key, this.#writes.has(key), validFor)
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

  #overtake(key: string): void {
    for (const flights of [this.#flights, this.#aside]) {
      const flight = flights.get(key)
      if (flight === undefined) continue
      flight.overtaken = true
      flights.delete(key)
    }
    this.#drop(key)
  }
}
