import type { Bytes, Feature, KeyValue } from '@unikv/core'
import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { AbortController, wallClock } from '@unikv/core/platform'
import type { OwnContext, OwnSessions, OwnSessionsRun, OwnWorkload } from '../../own/define-workload.ts'
import { fastRandom, subSeed } from '../../random/random.ts'
import { type Benchmark, checkBenchmark } from '../model/benchmark.ts'
import { Course } from '../model/course.ts'
import { Draws } from '../model/draws.ts'
import { checkCounts } from '../model/options.ts'
import { checkedModel, type SessionModel } from '../model/session-model.ts'
import { type Population, populate } from './populate.ts'
import type { Session } from './session.ts'
import { Sessions } from './sessions.ts'

/** Parameters that are numbers, by name. */
type Numbers = Readonly<Record<string, number>>

type Populations<Db> = readonly Population<Db>[] | ((parameters: Numbers) => readonly Population<Db>[])

/** The data access of a job as its document asks for it: options of `entities`. Other commands ask for nothing. */
export interface SessionAccess {
  readonly transactions?: 'auto' | 'records' | 'native' | undefined
  readonly retry?: 'default' | 'optimistic' | 'pessimistic' | undefined
  readonly timeoutMs?: number | undefined
}

/** A benchmark as a workload of `unikv bench`. */
export interface SessionWorkload<Db, State> {
  readonly benchmark: Benchmark<Db, State>
  readonly model: SessionModel
  /** The data access over the records of a store, such as `(kv, access) => entities(kv, auctionTypes, access)`. */
  readonly open: (kv: KeyValue<string, Bytes>, access: SessionAccess) => Db
  /** Called before the data is made, such as `(db) => db.create()` of an SQL database. @default nothing */
  readonly prepare?: ((db: Db) => Promise<unknown>) | undefined
  /** Removes data that is not among the records, when the store was measured; also after a failure. @default nothing */
  readonly remove?: ((db: Db) => Promise<unknown>) | undefined
  /** Data that is there from the start; a function makes it by the parameters of the model that are numbers. @default none */
  readonly populations?: Populations<Db> | undefined
  /** Read everything in the end, and tell what is wrong with it in sentences. @default nothing is read */
  readonly check?: ((db: Db, parameters: Numbers) => Promise<readonly string[]>) | undefined
  /** Counts of transactions since it was opened. @default what `statistics` of the data access tells, if it has one */
  readonly statistics?: ((db: Db) => object) | undefined
  /** Sessions at the same time. @default as many as callers */
  readonly sessions?: number | undefined
  /** Features that the store must have. @default conditional writes, which transactions over its records need */
  readonly needs?: readonly Feature[] | undefined
  /** The populations follow from it. @default 42 */
  readonly seed?: number | undefined
}

const names: OptionNames<SessionWorkload<unknown, unknown>> = {
  benchmark: true,
  model: true,
  open: true,
  prepare: true,
  remove: true,
  populations: true,
  check: true,
  statistics: true,
  sessions: true,
  needs: true,
  seed: true,
}

/** A run that is interrupted lets its interactions end. */
const uninterrupted: AbortSignal = new AbortController().signal

/** An interaction that is due, and the sessions that it belongs to. */
interface Due<Db, State> {
  readonly sessions: Sessions<Db, State>
  readonly session: Session<Db, State>
}

/**
 * Sessions of a benchmark as a workload for `unikv bench run --workload FILE` and `bench sweep`: its default export. Each interaction is an
 * operation. Those that found nothing (`EMPTY_RESULT`) count apart as misses, other modes as conflicts.
 *
 * ```ts
 * export default sessionWorkload({
 *   benchmark: auction(auctionByEntities()),
 *   model: { transitions: auctionModels.default, limits: { maxCount: 100 } },
 *   open: (kv) => entities(kv, auctionTypes, { transactions: 'records' }),
 *   populations: auctionPopulation(),
 * })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a wrong model or option
 */
export function sessionWorkload<Db, State>(options: SessionWorkload<Db, State>): OwnWorkload<never> {
  checkFactoryOptions('sessionWorkload', options, names)
  checkBenchmark(options?.benchmark as unknown as Benchmark<never, never>)
  checkCounts('sessionWorkload', { sessions: options.sessions }, 1)
  checkCounts('sessionWorkload', { seed: options.seed }, 0)
  const { benchmark, model, open, seed = 42, needs = ['conditionalWrite'] } = options
  const weights = weightsOf(model, benchmark)
  const workload: OwnWorkload<Due<Db, State>> = {
    name: benchmark.name,
    records: 1,
    values: 1,
    operations: Object.fromEntries(weights.map(([name, weight]) => [name, { weight, needs, run: executed }])),
    async setup({ kv, signal }) {
      const db = open(kv, {})
      await options.prepare?.(db)
      await populate(db, populationsOf(options, model), { seed, signal })
    },
    teardown: async ({ kv }) => {
      const db = open(kv, {})
      const problems = (await options.check?.(db, numbersOf(model))) ?? []
      await options.remove?.(db)
      if (problems.length > 0) throw new Error(problems.join(' '))
    },
    sessions: (run) => ownSessions(options, run),
  }
  // Its states are its own affair.
  return Object.assign(workload, { [definition]: options }) as unknown as OwnWorkload<never>
}

// Known by name: a module may have another copy of this package.
const definition: unique symbol = Symbol.for('unikv.sessionWorkload')

/** The benchmark that a workload was made of; `undefined` of one that has none. */
export function definitionOf(workload: object): SessionWorkload<unknown, unknown> | undefined {
  return (workload as { readonly [definition]?: SessionWorkload<unknown, unknown> })[definition]
}

/** The data of a benchmark with the parameters of a model. */
export function populationsOf<Db>(
  { populations = [] }: Pick<SessionWorkload<Db, never>, 'populations'>,
  model: SessionModel,
): readonly Population<Db>[] {
  return typeof populations === 'function' ? populations(numbersOf(model)) : populations
}

/** Parameters of a model that are numbers: the data is made by them, too. */
export function numbersOf({ parameters = {} }: SessionModel): Numbers {
  const numbers = Object.entries(parameters).filter(([, value]) => typeof value === 'number')
  return Object.fromEntries(numbers) as Numbers
}

/** Shares of the interactions in per cent, by simulated sessions without results: reports show them. */
function weightsOf<Db, State>(
  model: SessionModel,
  benchmark: Benchmark<Db, State>,
): readonly (readonly [string, number])[] {
  const checked = checkedModel(model, benchmark)
  const limits = { ...checked.limits, maxCount: Math.min(checked.limits.maxCount, 1_000) }
  const visits = new Map<string, number>()
  let interactions = 0
  for (let session = 0; session < 500; session++) {
    const draw = new Draws(fastRandom(subSeed(42, 'session', session)))
    const count = (name: string): unknown => visits.set(name, (visits.get(name) ?? 0) + 1)
    const course = new Course({ ...checked, limits }, draw, 0, count)
    let now = 0
    for (let step = course.first(now); step !== undefined; step = course.next(now, step.name))
      now += step.thinkMs
    interactions += course.count
  }
  const shareOf = (name: string): number => ((visits.get(name) ?? 0) / Math.max(1, interactions)) * 100
  return [...checked.used].map((name) => [name, Math.max(0.01, Number(shareOf(name).toPrecision(3)))])
}

async function executed<Db, State>(
  { miss, conflict }: OwnContext,
  { sessions, session }: Due<Db, State>,
): Promise<unknown> {
  const { mode } = await sessions.execute(session, uninterrupted)
  return mode === undefined ? undefined : mode === 'EMPTY_RESULT' ? miss : conflict
}

function ownSessions<Db, State>(
  { benchmark, model, open, sessions: own }: SessionWorkload<Db, State>,
  { kv, callers, share, seed, clock }: OwnSessionsRun,
): OwnSessions<Due<Db, State>> {
  const run = { seed, sessions: own ?? callers, share, most: Infinity, clock, now: wallClock }
  const sessions = new Sessions({
    benchmark,
    model: checkedModel(model, benchmark),
    db: open(kv, {}),
    ...run,
  })
  sessions.begin()
  return {
    ready: (ended) => sessions.ready(ended),
    next() {
      const session = sessions.next()
      return { operation: session.name, state: { sessions, session } }
    },
    end: () => sessions.end(),
  }
}
