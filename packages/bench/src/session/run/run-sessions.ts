import { type Awaitable, StoreError } from '@unikv/core'
import { checkFactoryOptions, checkMs, type OptionNames } from '@unikv/core/adapter'
import { type HistogramJson, histogramJson } from '@unikv/core/histogram'
import { AbortController, wallClock } from '@unikv/core/platform'
import type { DriveSample } from '../../drive/sample.ts'
import { sampleOf } from '../../drive/sample-of.ts'
import { partOf, rangeOf, type Share, whole } from '../../drive/share.ts'
import { type LoopClock, timerClock } from '../../loop/clock.ts'
import { closedLoop } from '../../loop/closed-loop.ts'
import type { IntervalSample } from '../../loop/interval-sample.ts'
import type { LoopResult } from '../../loop/loop-result.ts'
import type { Operations } from '../../loop/operations.ts'
import { Series } from '../../loop/series.ts'
import { type Benchmark, checkBenchmark } from '../model/benchmark.ts'
import { checkCounts } from '../model/options.ts'
import type { Place } from '../model/parameters.ts'
import { checkedModel, type SessionModel } from '../model/session-model.ts'
import { checkShare } from './checked-share.ts'
import type { Session } from './session.ts'
import { type SessionCounts, Sessions } from './sessions.ts'

/** How sessions are run. */
export interface SessionRun<Db, State> {
  readonly benchmark: Benchmark<Db, State>
  readonly model: SessionModel
  readonly db: Db
  /** Sessions at the same time. @default 1 */
  readonly sessions?: number | undefined
  /**
   * Interactions at the same time. With fewer callers than sessions, most users think while the others act.
   * @default as many as sessions
   */
  readonly callers?: number | undefined
  /** No interaction begins after this time. @default Infinity */
  readonly durationMs?: number | undefined
  /** Interactions in all. @default Infinity */
  readonly operations?: number | undefined
  /** Sessions in all. @default Infinity */
  readonly mostSessions?: number | undefined
  /** @default 42 */
  readonly seed?: number | undefined
  /** The part of the sessions that this process has, of all that run them together. @default all */
  readonly share?: Share | undefined
  readonly signal?: AbortSignal | undefined
  /** Told of each second that is over. */
  readonly onInterval?: ((interval: IntervalSample) => void) | undefined
  /** Counts that only rise, such as `() => db.statistics()`: their growth is in the result. */
  readonly statistics?: (() => object) | undefined
  /** @default timers */
  readonly clock?: LoopClock | undefined
  /** Wall-clock time for the application. @default that of the system */
  readonly now?: (() => number) | undefined
}

/** The measurements of a run: plain JSON. */
export interface SessionSample {
  /** Latency and errors of each interaction, as of any driven store: kinds are the names of interactions. */
  readonly sample: DriveSample
  readonly sessions: SessionCounts
  /** How often interactions had result modes: by interaction, then by mode. */
  readonly modes: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** How long interactions that were due waited for a caller, in nanoseconds. */
  readonly waits: HistogramJson
  /** Growth of the counts of `statistics`, such as conflicts and retries of transactions. */
  readonly statistics: Readonly<Record<string, number>>
}

const names: OptionNames<SessionRun<unknown, unknown>> = {
  benchmark: true,
  model: true,
  db: true,
  sessions: true,
  callers: true,
  durationMs: true,
  operations: true,
  mostSessions: true,
  seed: true,
  share: true,
  signal: true,
  onInterval: true,
  statistics: true,
  clock: true,
  now: true,
}

/**
 * Run sessions of a benchmark, and measure their interactions. Limits hold for the run; a session that is under way at its end
 * is cut off between two interactions.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a wrong model or option
 */
export async function runSessions<Db, State>(options: SessionRun<Db, State>): Promise<SessionSample> {
  checkRun(options)
  const { benchmark, onInterval, statistics = () => ({}) } = options
  const kinds = Object.keys(benchmark.interactions)
  const sessions = sessionsOf(options)
  const series = new Series(kinds.length, onInterval, options.durationMs)
  const before = statistics()
  const result = await driven(options, kinds, sessions, series)
  return {
    sample: sampleOf(result, kinds, series.end(result.countedMs)),
    sessions: sessions.counts,
    modes: sessions.modes,
    waits: histogramJson(sessions.waits),
    statistics: growthOf(before, statistics()),
  }
}

function checkRun<Db, State>(options: SessionRun<Db, State>): void {
  checkFactoryOptions('runSessions', options, names)
  const { benchmark, durationMs, sessions, callers, mostSessions, operations, seed, share } = options ?? {}
  checkMs({ durationMs }, { least: 0 })
  checkBenchmark(benchmark as unknown as Benchmark<never, never>)
  checkCounts('runSessions', { sessions, callers }, { least: 1 })
  checkCounts('runSessions', { mostSessions }, { least: 1, isEndless: true })
  checkCounts('runSessions', { operations }, { least: 0, isEndless: true })
  checkCounts('runSessions', { seed }, { least: 0 })
  checkShare('runSessions', share)
}

async function driven<Db, State>(
  options: SessionRun<Db, State>,
  kinds: readonly string[],
  sessions: Sessions<Db, State>,
  observer: Series,
): Promise<LoopResult> {
  const { sessions: places = 1, callers = places, operations, durationMs, clock = timerClock } = options
  const { share = whole, signal = new AbortController().signal } = options
  const workers = Math.max(1, partOf(callers, share))
  const most = operations === undefined ? undefined : partAt(operations, places, share)
  try {
    sessions.begin()
    const work = new SessionOperations(kinds, sessions, signal)
    return await closedLoop(work, { workers, operations: most, durationMs, signal, clock, observer })
  } finally {
    sessions.end()
  }
}

function sessionsOf<Db, State>(options: SessionRun<Db, State>): Sessions<Db, State> {
  const { benchmark, db, mostSessions = Infinity, seed = 42, share = whole } = options
  const { sessions: of = 1, clock = timerClock, now = wallClock } = options
  const model = checkedModel(options.model, benchmark)
  const { durationMs = Infinity, operations = Infinity, signal } = options
  const isLimited = durationMs < Infinity || operations < Infinity || signal !== undefined
  if (!isLimited && (mostSessions === Infinity || !model.ends)) throw unlimited(model.ends)
  const { first, count } = rangeOf({ first: 0, count: of }, share)
  const places = Array.from({ length: count }, (_, index): Place => ({ index: first + index, of }))
  const most = partAt(mostSessions, of, share)
  return new Sessions({ benchmark, model, db, seed, places, most, clock, now })
}

/** The part of a count that belongs to the places of this process: one without places would never do its part. */
function partAt(count: number, places: number, share: Share): number {
  if (count === Infinity) return count
  const own = rangeOf({ first: 0, count: places }, share)
  const before = (place: number): number => Math.floor((count * place) / places)
  return before(own.first + own.count) - before(own.first)
}

/** Interactions as the operations of a loop: each caller waits for one that is due. */
class SessionOperations<Db, State> implements Operations {
  readonly kinds: readonly string[]
  readonly #sessions: Sessions<Db, State>
  readonly #signal: AbortSignal
  #next: Session<Db, State> | undefined

  constructor(kinds: readonly string[], sessions: Sessions<Db, State>, signal: AbortSignal) {
    this.kinds = kinds
    this.#sessions = sessions
    this.#signal = signal
  }

  ready(ended: AbortSignal): Awaitable<boolean> {
    return this.#sessions.ready(ended)
  }

  pick(): number {
    this.#next = this.#sessions.next()
    return this.kinds.indexOf(this.#next.name)
  }

  /** It follows `pick` at once. */
  start(): Promise<unknown> {
    return this.#sessions.execute(this.#next as Session<Db, State>, this.#signal)
  }
}

function growthOf(before: object, after: object): Readonly<Record<string, number>> {
  const earlier = before as Readonly<Record<string, unknown>>
  const counts = Object.entries(after).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  )
  return Object.fromEntries(counts.map(([name, count]) => [name, count - Number(earlier[name] ?? 0)]))
}

function unlimited(ends: boolean): StoreError {
  const why = ends
    ? 'Nothing ends this run.'
    : 'Nothing ends this run, as the sessions of its model do not end.'
  return new StoreError(
    'INVALID_CONFIG',
    `${why} Give runSessions() durationMs, operations${ends ? ', mostSessions' : ''} or a signal.`,
  )
}
