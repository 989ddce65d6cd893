import { StoreError } from '@unikv/core'
import { checkOptions, kindOf } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import { checkReach } from './check-reach.ts'
import { checkedRows, type Modes } from './checked-rows.ts'
import { type CheckedLimits, checkedLimits, type Limits } from './limits.ts'
import { checkedParameters, type DeclaredParameters, type Parameters } from './parameters.ts'
import { checkThinkTimes, type ThinkTimes } from './think-time.ts'
import { end, type Rows, start, type Transitions } from './transitions.ts'
import { type CheckedUsers, checkedUsers, type Users } from './users.ts'

/** How users behave: plain data, which a document may hold. Interactions are named, and stand in a benchmark. */
export interface SessionModel {
  readonly transitions: Transitions
  /** @default none */
  readonly limits?: Limits | undefined
  /** @default none */
  readonly think?: ThinkTimes | undefined
  /** @default those of the benchmark */
  readonly parameters?: Parameters | undefined
  /** @default those of the benchmark */
  readonly users?: Users | undefined
}

/** The part of a benchmark that a model is checked against. */
export interface ModelContext {
  /** Interactions by name, with the result modes of their own. */
  readonly interactions: Readonly<Record<string, { readonly modes?: readonly string[] | undefined }>>
  /** @default any parameter is right */
  readonly parameters?: DeclaredParameters | undefined
  /** Users for a model that names none. */
  readonly users?: ((parameters: Parameters) => Users) | undefined
  /** Refuse parameters that do not fit together, given the interactions that the model leads to. */
  readonly check?: ((parameters: Parameters, used: ReadonlySet<string>) => void) | undefined
}

/** A model that was checked. */
export interface CheckedModel {
  readonly rows: Rows
  readonly modes: Modes
  readonly limits: CheckedLimits
  readonly think: ThinkTimes
  readonly parameters: Parameters
  readonly users: CheckedUsers
  /** Interactions that a session may come to. */
  readonly used: ReadonlySet<string>
  /** Whether sessions end by themselves; others go on until the run ends. */
  readonly ends: boolean
}

/** The session does not know a parameter of the interaction yet, so it was not executed. */
export const missingParam = 'MISSING_PARAM'
/** The execution failed. */
export const unknownError = 'UNKNOWN_ERROR'

const names: Readonly<Record<keyof SessionModel, true>> = {
  transitions: true,
  limits: true,
  think: true,
  parameters: true,
  users: true,
}

/**
 * Check a model against the interactions of its benchmark.
 *
 * @throws {StoreError} `INVALID_CONFIG` with the first thing that is wrong
 */
export function checkedModel(model: SessionModel, context: ModelContext): CheckedModel {
  if (model === undefined) throw wrong('The model is missing. Give at least its transitions.')
  checkOptions('session', model, names)
  const modes = modesOf(context)
  const interactions = new Set(modes.keys())
  const rows = checkedRows(model.transitions, modes)
  const limits = checkedLimits(model.limits)
  checkThinkTimes(model.think, interactions)
  const parameters = checkedParameters(model.parameters, context.parameters)
  const isLimited = limits.maxCount < Infinity || limits.maxTimeMs < Infinity
  const { used, ends } = checkReach({ rows, interactions, isLimited })
  context.check?.(parameters, used)
  const users = checkedUsers(model.users, context.users?.(parameters))
  return { rows, modes, limits, think: model.think ?? {}, parameters, users, used, ends }
}

function modesOf({ interactions }: ModelContext): Modes {
  if (!isPlainObject(interactions)) throw wrong('The interactions must be an object with one by each name.')
  const entries = Object.entries(interactions).map(([name, interaction]) => {
    if (name === start || name === end || name.includes('@'))
      throw wrong(
        `An interaction cannot have the name ${name}. Choose one without @ that is not ${start} or ${end}.`,
      )
    return [name, [...modesIn(name, interaction), missingParam, unknownError]] as const
  })
  return new Map(entries)
}

function modesIn(name: string, interaction: unknown): readonly string[] {
  if (typeof interaction !== 'object' || interaction === null)
    throw wrong(`The interaction ${name} must be an object, got ${kindOf(interaction)}.`)
  const { modes = [] } = interaction as { readonly modes?: readonly string[] }
  if (Array.isArray(modes) && modes.every((mode) => typeof mode === 'string')) return modes
  throw wrong(`The modes of ${name} must be a list of names.`)
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
