import type { Awaitable, StoreError } from '@unikv/core'
import { invalidConfig } from '@unikv/core/adapter'
import { Histogram } from '@unikv/core/histogram'
import { rangeOf, type Share } from '../../drive/share.ts'
import type { LoopClock } from '../../loop/clock.ts'
import { fastRandom, subSeed } from '../../random/random.ts'
import type { Answer, Benchmark } from '../model/benchmark.ts'
import { Draws } from '../model/draws.ts'
import type { Place } from '../model/parameters.ts'
import { type CheckedModel, checkPlaces } from '../model/session-model.ts'
import { UserPool } from '../model/users.ts'
import { Agenda } from './agenda.ts'
import { Session, type SessionContext } from './session.ts'

/** After so many sessions of a place that executed nothing there will hardly be one that does. */
const mostIdle = 1_000

/** How sessions follow each other. */
export interface SessionsOptions<Db, State> {
  readonly benchmark: Benchmark<Db, State>
  readonly model: CheckedModel
  readonly db: Db
  readonly seed: number
  /** Sessions at the same time, in all processes together. */
  readonly sessions: number
  /** The part of this process. Its places have numbers of their own, so that users and partitions are not shared. */
  readonly share: Share
  /** Sessions in all; then the run is over. */
  readonly most: number
  readonly clock: LoopClock
  /** Wall-clock time, for the application. */
  readonly now: () => number
}

/** Counts of sessions. */
export interface SessionCounts {
  readonly begun: number
  /** Those that came to an end; the others were cut off by the end of the run. */
  readonly ended: number
  /** Interactions of those that ended, in all. */
  readonly interactions: number
  /** Most interactions of one of them. */
  readonly mostInteractions: number
  /** Users that were not there before the run. */
  readonly newUsers: number
}

interface Due<Db, State> {
  readonly session: Session<Db, State>
  readonly since: number
}

/**
 * Sessions at some places, where a new one follows each that ends. Callers execute the interactions that are due: `ready`,
 * then `next` and `execute`. With as many callers as places each session has one for itself; with fewer, it may have to wait.
 */
export class Sessions<Db, State> {
  readonly #options: SessionsOptions<Db, State>
  readonly #context: SessionContext<Db, State>
  readonly #users: UserPool
  readonly #agenda: Agenda<Session<Db, State>>
  readonly #due: Due<Db, State>[] = []
  readonly #finished: { readonly session: Session<Db, State>; readonly answer: Answer | undefined }[] = []
  readonly #waiting: ((isReady: boolean) => void)[] = []
  readonly #modes = new Map<string, Map<string, number>>()
  /** From the time at which an interaction was due to its start, in nanoseconds: sessions waited for a caller. */
  readonly waits: Histogram = new Histogram()
  /** How many of those that are due are promised to a caller. */
  #promised = 0
  #open = 0
  readonly #begunAt = new Map<number, number>()
  readonly #counts = { begun: 0, ended: 0, interactions: 0, mostInteractions: 0 }
  #endedBy: AbortSignal | undefined
  #isOver = false

  /** @throws {StoreError} `INVALID_CONFIG` if places cannot have users or numbers of their own */
  constructor(options: SessionsOptions<Db, State>) {
    const { benchmark, model, sessions, clock } = options
    checkPlaces(model, sessions)
    this.#options = options
    this.#context = { benchmark, model, onMode: (name, mode) => this.#count(name, mode) }
    this.#users = new UserPool(model.users, sessions)
    this.#agenda = new Agenda(clock, (session) => this.#becomesDue(session))
  }

  /** Begin the first session at each place. */
  begin(): void {
    const { sessions: of, share } = this.#options
    const { first, count } = rangeOf({ first: 0, count: of }, share)
    for (let index = first; index < first + count; index++) this.#beginAt({ index, of })
  }

  /** Wait for an interaction that is due. Resolves to `false` when there is nothing more to do, or when the run has ended. */
  ready(ended: AbortSignal): Awaitable<boolean> {
    this.#watch(ended)
    this.#settle()
    if (this.#due.length > this.#promised) {
      this.#promised++
      return true
    }
    if (this.#open === 0 || ended.aborted) return false
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** The session whose interaction begins now, after `ready`. */
  next(): Session<Db, State> {
    this.#promised--
    const { session, since } = this.#due.shift() as Due<Db, State>
    this.waits.record(Math.max(0, this.#options.clock.now() - since) * 1e6)
    return session
  }

  /** Execute the interaction of a session. The next caller prepares what follows, outside its time. */
  async execute(session: Session<Db, State>, signal: AbortSignal): Promise<Answer> {
    const { db, now } = this.#options
    try {
      const answer = await session.execute(db, { now, signal })
      this.#finished.push({ session, answer })
      return answer
    } catch (error) {
      this.#finished.push({ session, answer: undefined })
      throw error
    }
  }

  /** The run is over: count what was executed last. No session begins any more. */
  end(): void {
    this.#isOver = true
    this.#agenda.close()
    this.#settle()
  }

  get counts(): SessionCounts {
    return { ...this.#counts, newUsers: this.#users.added.length }
  }

  /** How often interactions had result modes, by interaction and mode. */
  get modes(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    return Object.fromEntries([...this.#modes].map(([name, counts]) => [name, Object.fromEntries(counts)]))
  }

  #beginAt(place: Place): void {
    const { seed, most, clock } = this.#options
    for (let idle = 0; this.#counts.begun < most && !this.#isOver; idle++) {
      if (idle >= mostIdle) throw nothingDone()
      const draw = new Draws(fastRandom(subSeed(seed, 'session', place.index, this.#countAt(place))))
      const now = clock.now()
      const session = new Session(this.#context, this.#users.next(place, draw), draw, place, now)
      this.#open++
      const thinkMs = session.begin(now)
      if (thinkMs !== undefined) return this.#plan(session, now, thinkMs)
      this.#over(session)
    }
  }

  /** How many sessions the place had before: their draws follow from it, in any order of events. */
  #countAt({ index }: Place): number {
    const count = this.#begunAt.get(index) ?? 0
    this.#begunAt.set(index, count + 1)
    this.#counts.begun++
    return count
  }

  #plan(session: Session<Db, State>, now: number, thinkMs: number): void {
    if (thinkMs === 0) this.#becomesDue(session)
    else this.#agenda.add(now + thinkMs, session)
  }

  #becomesDue(session: Session<Db, State>): void {
    this.#due.push({ session, since: this.#options.clock.now() })
    const waiting = this.#waiting.shift()
    if (waiting === undefined) return
    this.#promised++
    waiting(true)
  }

  /** Complete what was executed, and plan what follows. */
  #settle(): void {
    for (const { session, answer } of this.#finished.splice(0)) {
      const now = this.#options.clock.now()
      const thinkMs = session.complete(now, answer)
      if (thinkMs !== undefined) this.#plan(session, now, thinkMs)
      else {
        this.#over(session)
        this.#beginAt(session.place)
      }
    }
    if (this.#open === 0) this.#release()
  }

  #over({ count }: Session<Db, State>): void {
    this.#open--
    this.#counts.ended++
    this.#counts.interactions += count
    this.#counts.mostInteractions = Math.max(this.#counts.mostInteractions, count)
  }

  #count(name: string, mode: string): void {
    const counts = this.#modes.get(name) ?? new Map<string, number>()
    this.#modes.set(name, counts.set(mode, (counts.get(mode) ?? 0) + 1))
  }

  #watch(ended: AbortSignal): void {
    if (this.#endedBy === ended) return
    this.#endedBy = ended
    ended.addEventListener('abort', () => this.#release(), { once: true })
  }

  /** Callers have nothing more to wait for. */
  #release(): void {
    for (const waiting of this.#waiting.splice(0)) waiting(false)
  }
}

function nothingDone(): StoreError {
  return invalidConfig(
    `${mostIdle.toLocaleString('en')} sessions ended without executing an interaction, as each lacked a parameter or came to END first. Change the transitions after START.`,
  )
}
