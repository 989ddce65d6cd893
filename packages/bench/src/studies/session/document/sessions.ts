import { isPlainObject } from '@unikv/core/platform'
import { must } from '@unikv/stores/documents'
import { z } from 'zod'
import type { Plain } from '../../../options/option.ts'
import type { Benchmark } from '../../../session/model/benchmark.ts'
import type { SessionModel } from '../../../session/model/session-model.ts'
import type { Transitions } from '../../../session/model/transitions.ts'
import { benchmarks } from '../check.ts'
import type { OwnBenchmark } from '../own-benchmark.ts'
import { type Place, wrongIn } from './shaped.ts'
import { amount, fields, isSo, oneOf, optional, share, shareOf, time, whole } from './values.ts'

const thinkTime = z.union(
  [
    fields({ avg: time, max: time }).transform(({ avg, max }) => ({ avgMs: avg, maxMs: max })),
    time.transform((ms) => ({ ms })),
  ],
  must('a time such as 500ms, or `avg` and `max`'),
)
const around = { before: optional(thinkTime), after: optional(thinkTime) }

const parameter = z.union(
  [
    fields({
      random: oneOf(['int', 'double']),
      min: amount,
      max: amount,
      partition: optional(isSo),
      each: optional(oneOf(['session', 'interaction'])),
    }),
    amount,
    z.string(),
  ],
  must('a value, or `random` (int or double) with `min` and `max`'),
)

const limits = fields({
  maxCount: optional(amount),
  maxTime: optional(time),
  minTime: optional(time),
}).transform(({ maxCount, maxTime, minTime }) => ({ maxCount, maxTimeMs: maxTime, minTimeMs: minTime }))

const weights = fields({ prob: optional(share), weight: optional(share) }).nullable()
const follower = z.preprocess((given) => {
  const weight = shareOf(given)
  return typeof weight === 'number' ? { weight } : given
}, weights)
const beStates = 'a state, a list of states, or states with their weights'

/**
 * `Transitions`: for each state those that follow it, as `{ HOME: { prob: 0.3 }, END: null }`, `{ HOME: 0.3, END: 0.7 }`, `{ HOME: 30%, END: 70% }`,
 * `[HOME, { next: END, weight: 2 }]`, or one of them as a text.
 */
const transitionsSchema = z.record(
  z.string(),
  z.preprocess(byName, z.record(z.string(), follower, must(beStates))),
  must('states, each with those that follow it'),
)

/** The schema of `workload/session`. */
export const sessionSchema = fields({
  benchmark: z.string(must('auction, micro, or the path of a module such as ./mine.ts')),
  model: optional(z.string()),
  Transitions: optional(transitionsSchema),
  parameters: optional(z.record(z.string(), parameter, must('parameters by their names'))),
  limits: optional(limits),
  think: optional(fields({ ...around, interactions: optional(z.record(z.string(), fields(around))) })),
  users: optional(
    fields({
      first: optional(amount),
      count: optional(amount),
      newRatio: optional(amount),
      partition: optional(isSo),
    }),
  ),
  sessions: optional(whole),
  numOfThreads: optional(whole),
})

/** The part `workload/session` of a job. */
export type SessionPart = Plain<typeof sessionSchema>

/** The name of the model of a job that names none. */
export const defaultModel = 'default'

/** A benchmark as far as a document needs it. */
type Known = Pick<Benchmark<never, never>, 'name' | 'interactions' | 'models'>

/** The benchmark that a session part names: a built-in one, or that of the module. */
export function benchmarkOf({ benchmark }: SessionPart, own: OwnBenchmark | undefined, place: Place): Known {
  if (own !== undefined) return own.definition.benchmark
  if (benchmark === 'auction' || benchmark === 'micro') return benchmarks[benchmark]
  const message = 'it must be auction, micro, or the path of a module such as ./mine.ts'
  throw wrongIn(place, 'workload.session.benchmark', message)
}

/** The model of a session part: transitions of its own, or those of a model of the benchmark. A module has a model for what is not said. */
export function modelOf(
  session: SessionPart,
  benchmark: Known,
  base: SessionModel | undefined,
  place: Place,
): SessionModel {
  const { limits = base?.limits, think = base?.think, users = base?.users } = session
  const isSaid = session.model !== undefined || session.Transitions !== undefined
  const transitions =
    isSaid || base === undefined ? transitionsOf(session, benchmark, place) : base.transitions
  const parameters = base === undefined ? session.parameters : { ...base.parameters, ...session.parameters }
  return { transitions, limits, think, parameters, users }
}

function transitionsOf(
  { model, Transitions: own }: SessionPart,
  { name: benchmark, models, interactions }: Known,
  place: Place,
): Transitions {
  if (own !== undefined && model !== undefined)
    throw wrongIn(place, 'workload.session.model', 'there are Transitions, too: leave one of them out')
  if (own !== undefined) return rowsOf(own, Object.keys(interactions), place)
  const name = model ?? defaultModel
  if (Object.hasOwn(models, name)) return models[name] as Transitions
  const known = Object.keys(models).join(', ')
  const got = model === undefined ? 'a model or Transitions must be given' : `there is no model '${model}'`
  throw wrongIn(place, 'workload.session.model', `${got}; ${benchmark} has ${known}`)
}

/** Rows of a document, with the names of interactions as they are in the benchmark. */
function rowsOf(
  given: NonNullable<SessionPart['Transitions']>,
  interactions: readonly string[],
  place: Place,
): Transitions {
  const rows = new Map<string, Transitions[string]>()
  for (const [state, row] of Object.entries(given)) {
    const name = nameIn(interactions, state)
    if (rows.has(name))
      throw wrongIn(place, `workload.session.Transitions.${state}`, `there are two rows of ${name}`)
    rows.set(
      name,
      Object.entries(row).map(([next, weights]) => ({ next: nameIn(interactions, next), ...weights })),
    )
  }
  return Object.fromEntries(rows)
}

/**
 * The name of an interaction, written with other separators or in another case: `sell.auction.item` is `SELL_AUCTION_ITEM`. The mode
 * after `@` stays, and so does a name that no interaction has.
 */
function nameIn(interactions: readonly string[], given: string): string {
  const [state = '', ...mode] = given.split('@')
  const found = interactions.find((name) => plain(name) === plain(state)) ?? state
  return [found, ...mode].join('@')
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** The states of a list by their names. A list with anything else, or with a state twice, stays as it is and is refused. */
function byName(given: unknown): unknown {
  if (typeof given === 'string') return { [given]: null }
  if (!Array.isArray(given)) return given
  const followers = given.map((one) => (typeof one === 'string' ? ([one, null] as const) : named(one)))
  const found = new Map(followers.flatMap((one) => (one === undefined ? [] : [one])))
  return found.size === given.length ? Object.fromEntries(found) : given
}

function named(given: unknown): readonly [string, unknown] | undefined {
  if (!isPlainObject(given)) return undefined
  const { next, ...rest } = given as Readonly<Record<string, unknown>>
  return typeof next === 'string' ? [next, rest] : undefined
}
