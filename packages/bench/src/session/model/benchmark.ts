import { invalidConfig, kindOf } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import type { Draws } from './draws.ts'
import type { ParameterValues } from './parameters.ts'
import type { ModelContext } from './session-model.ts'
import type { Transitions } from './transitions.ts'

/** The application that sessions use: its interactions over one data access, and models of its users. */
export interface Benchmark<Db, State> extends ModelContext {
  readonly name: string
  readonly interactions: Interactions<Db, State>
  /** Transitions that come with it, by name. */
  readonly models: Readonly<Record<string, Transitions>>
  /** The state of a new session. */
  begin(values: ParameterValues): State
}

/**
 * Refuse a benchmark that could not be run.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the part that is missing or not a function
 */
export function checkBenchmark(benchmark: Benchmark<never, never>): void {
  if (typeof benchmark !== 'object' || benchmark === null || !isPlainObject(benchmark.interactions))
    throw invalidConfig(`A benchmark must be an object with interactions, got ${kindOf(benchmark)}.`)
  checkFunctions('the benchmark', benchmark, ['begin'])
  for (const [name, given] of Object.entries(benchmark.interactions)) {
    if (Object(given) !== given)
      throw invalidConfig(`The interaction ${name} must be an object, got ${kindOf(given)}.`)
    const complete = given.complete === undefined ? [] : ['complete']
    checkFunctions(`the interaction ${name}`, given, ['prepare', 'execute', ...complete])
  }
}

function checkFunctions(whose: string, given: object, names: readonly string[]): void {
  for (const name of names) {
    const part = (given as Readonly<Record<string, unknown>>)[name]
    if (typeof part !== 'function')
      throw invalidConfig(`${name} of ${whose} must be a function, got ${kindOf(part)}.`)
  }
}

/** A session as an interaction sees it: what it knows, and random numbers of its own. */
export interface Visit<State> {
  /** Kept from one interaction to the next; `complete` changes it. */
  readonly state: State
  /** The parameters of this session. */
  readonly values: ParameterValues
  /** The user of this session. */
  readonly user: number
  /** The session's own stream of random numbers: the same seed draws the same. */
  readonly draw: Draws
}

/** An answer of an interaction: data for `complete`, and how it ended. */
export interface Answer {
  /** The result mode, such as `EMPTY_RESULT`; `undefined`: as a user hopes. */
  readonly mode?: string | undefined
}

/** The parameters that an interaction is executed with, and its answer. */
export interface Call {
  readonly params: unknown
  readonly answer: Answer
}

/** The part of an interaction that is written once for all data accesses. It emulates the user, not the application. */
export interface Plan<State, P = unknown, A extends Answer = Answer> {
  /** Result modes of its answers, besides `MISSING_PARAM` and `UNKNOWN_ERROR`. @default none */
  readonly modes?: readonly string[] | undefined
  /** Decide on the parameters; `undefined`: the session does not know one yet, which is the mode `MISSING_PARAM`. */
  prepare(visit: Visit<State>): P | undefined
  /** Remember what the session has learned from the answer. @default nothing */
  complete?(visit: Visit<State>, answer: A, params: P): void
}

/** The surroundings of an execution. */
export interface Execution {
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: () => number
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal
}

/** The part of an interaction that accesses data: the application's own work. It may consist of several transactions. */
export type Execute<Db, P, A extends Answer> = (params: P, db: Db, execution: Execution) => Promise<A>

/** An interaction over one data access. */
export interface Interaction<Db, State, P = unknown, A extends Answer = Answer> extends Plan<State, P, A> {
  readonly execute: Execute<Db, P, A>
}

/** The calls of a benchmark by the name of the interaction. */
type Calls<C> = { readonly [Name in keyof C]: Call }

/** The plans of a benchmark, by the names of its calls. */
export type Plans<State, C extends Calls<C>> = {
  readonly [Name in keyof C]: Plan<State, C[Name]['params'], C[Name]['answer']>
}

/** The executions of a benchmark over one data access: one for each of its plans. */
export type Executions<Db, C extends Calls<C>> = {
  readonly [Name in keyof C]: Execute<Db, C[Name]['params'], C[Name]['answer']>
}

/** Interactions of any parameters and answers, by name. */
export type Interactions<Db, State> = Readonly<Record<string, Interaction<Db, State>>>

/** One interaction whose parts are written in one place. It only gives types. */
export function interaction<Db, State, P, A extends Answer>(
  parts: Interaction<Db, State, P, A>,
): Interaction<Db, State> {
  return parts as unknown as Interaction<Db, State>
}

/**
 * The interactions of a benchmark over one data access.
 *
 * @throws {StoreError} `INVALID_CONFIG` if a plan has no execution
 */
export function interactions<Db, State, C extends Calls<C>>(
  plans: Plans<State, C>,
  executions: Executions<Db, C>,
): Interactions<Db, State> {
  const names = Object.keys(plans) as (keyof C & string)[]
  const missing = names.find((name) => typeof executions[name] !== 'function')
  if (missing !== undefined)
    throw invalidConfig(`The interaction ${missing} has no execution. Give it a function.`)
  return Object.fromEntries(
    names.map((name) => [name, interaction({ ...plans[name], execute: executions[name] })]),
  )
}
