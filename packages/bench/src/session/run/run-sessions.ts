import type { StoreError } from '@unikv/core'
import { checkFactoryOptions, checkMs, invalidConfig, type OptionNames } from '@unikv/core/adapter'
import { type HistogramJson, histogramJson } from '@unikv/core/histogram'
import { AbortController, wallClock } from '@unikv/core/platform'
import type { DriveSample } from '../../drive/driver.ts'
import { sampleOf } from '../../drive/planned.ts'
import { partOf, rangeOf, type Share, whole } from '../../drive/share.ts'
import { type LoopClock, timerClock } from '../../loop/clock.ts'
import { closedLoop } from '../../loop/closed-loop.ts'
import type { IntervalSample } from '../../loop/interval-sample.ts'
import type { Operations } from '../../loop/operations.ts'
import { Series } from '../../loop/series.ts'
import { countedKinds } from '../../operations/mixed-operations.ts'
import { type Benchmark, checkBenchmark } from '../model/benchmark.ts'
import { checkCounts, checkShare } from '../model/options.ts'
import { checkedModel, type SessionModel } from '../model/session-model.ts'
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
  const { benchmark, sessions: of = 1, share = whole, clock = timerClock, onInterval } = options
  const { operations, durationMs, statistics = () => ({}) } = options
  const { signal = new AbortController().signal } = options
  const kinds = Object.keys(benchmark.interactions)
  const sessions = sessionsOf(options, of, share, clock)
  const observer = new Series(kinds.length, onInterval, durationMs)
  const before = statistics()
  const workers = Math.max(1, partOf(options.callers ?? of, share))
  const most = operations === undefined ? undefined : partAt(operations, of, share)
  const result = await during(sessions, () => {
    const limits = { workers, operations: most, durationMs, signal, clock, observer }
    return closedLoop(interactionsOf(kinds, sessions, signal), limits)
  })
  return {
    sample: sampleOf(result, countedKinds(kinds), observer.end(result.countedMs)),
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
  checkCounts('runSessions', { sessions, callers }, 1)
  checkCounts('runSessions', { mostSessions }, 1, true)
  checkCounts('runSessions', { operations }, 0, true)
  checkCounts('runSessions', { seed }, 0)
  checkShare('runSessions', share)
}

async function during<R>(sessions: { begin(): void; end(): void }, work: () => Promise<R>): Promise<R> {
  try {
    sessions.begin()
    return await work()
  } finally {
    sessions.end()
  }
}

/** The sessions of a run. */
function sessionsOf<Db, State>(
  options: SessionRun<Db, State>,
  of: number,
  share: Share,
  clock: LoopClock,
): Sessions<Db, State> {
  const { benchmark, db, mostSessions = Infinity, seed = 42, now = wallClock } = options
  const { durationMs = Infinity, operations = Infinity, signal } = options
  const model = checkedModel(options.model, benchmark)
  const isLimited = durationMs < Infinity || operations < Infinity || signal !== undefined
  if (!isLimited && (mostSessions === Infinity || !model.ends)) throw unlimited(model.ends)
  const most = partAt(mostSessions, of, share)
  return new Sessions({ benchmark, model, db, seed, sessions: of, share, most, clock, now })
}

/** The part of a count that belongs to the places of this process: one without places would never do its part. */
function partAt(count: number, places: number, share: Share): number {
  if (count === Infinity) return count
  const own = rangeOf({ first: 0, count: places }, share)
  const before = (place: number): number => Math.floor((count * place) / places)
  return before(own.first + own.count) - before(own.first)
}

/** Interactions as the operations of a loop: each caller waits for one that is due. */
function interactionsOf<Db, State>(
  kinds: readonly string[],
  sessions: Sessions<Db, State>,
  signal: AbortSignal,
): Operations {
  let next: Session<Db, State> | undefined
  return {
    kinds,
    ready: (ended) => sessions.ready(ended),
    pick() {
      next = sessions.next()
      return kinds.indexOf(next.name)
    },
    // It follows `pick` at once.
    start: () => sessions.execute(next as Session<Db, State>, signal),
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
  const why = ends ? '' : ', as the sessions of its model do not end'
  return invalidConfig(
    `Nothing ends this run${why}. Give runSessions() durationMs, operations${ends ? ', mostSessions' : ''} or a signal.`,
  )
}
