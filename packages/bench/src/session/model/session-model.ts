import { checkOptions, invalidConfig, kindOf } from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import { checkReach } from './check-reach.ts'
import { checkedParameters, checkPartitions, type DeclaredParameters, type Parameters } from './parameters.ts'
import { checkThinkTimes, type ThinkTimes } from './think-time.ts'
import { checkedRows, end, type Modes, type Rows, start, type Transitions } from './transitions.ts'
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
  /** Parameters with their defaults; `undefined`: the model must give it. @default any parameter is right */
  readonly parameters?: DeclaredParameters | undefined
  /** Users for a model that names none. @default the user 1 */
  readonly users?: ((parameters: Parameters) => Users) | undefined
  /**
   * Refuse parameters that do not fit together.
   *
   * @param used the interactions that the model leads to
   * @throws {StoreError} `INVALID_CONFIG`
   * @default any do
   */
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

/**
 * Check a model against the interactions of its benchmark.
 *
 * @throws {StoreError} `INVALID_CONFIG` with the first thing that is wrong
 */
export function checkedModel(model: SessionModel, context: ModelContext): CheckedModel {
  if (model === undefined) throw invalidConfig('The model is missing. Give at least its transitions.')
  const names = { transitions: true, limits: true, think: true, parameters: true, users: true } as const
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

/**
 * Refuse a model that has too few users or numbers for so many sessions at the same time, if each has some of its own.
 *
 * @throws {StoreError} `INVALID_CONFIG` naming the parameter, if it is one
 */
export function checkPlaces({ parameters, users }: CheckedModel, places: number): void {
  checkPartitions(parameters, places)
  if (users.partition && users.count < places)
    throw invalidConfig(
      `There are ${users.count} users for ${places} sessions at the same time, so some would have none. Give more users, or run fewer sessions.`,
    )
}

function modesOf({ interactions }: ModelContext): Modes {
  if (!isPlainObject(interactions))
    throw invalidConfig('The interactions must be an object with one by each name.')
  const entries = Object.entries(interactions).map(([name, interaction]) => {
    if (name === start || name === end || name.includes('@'))
      throw invalidConfig(
        `An interaction cannot have the name ${name}. Choose one without @ that is not ${start} or ${end}.`,
      )
    return [name, [...modesIn(name, interaction), missingParam, unknownError]] as const
  })
  return new Map(entries)
}

function modesIn(name: string, interaction: unknown): readonly string[] {
  if (typeof interaction !== 'object' || interaction === null)
    throw invalidConfig(`The interaction ${name} must be an object, got ${kindOf(interaction)}.`)
  const { modes = [] } = interaction as { readonly modes?: readonly string[] }
  if (Array.isArray(modes) && modes.every((mode) => typeof mode === 'string')) return modes
  throw invalidConfig(`The modes of ${name} must be a list of names.`)
}

/** Ends of a session besides `END`. Numbers of 0 or less turn a limit off. */
export interface Limits {
  /** Most interactions of a session. @default off */
  readonly maxCount?: number | undefined
  /** No interaction begins after so many milliseconds of a session. @default off */
  readonly maxTimeMs?: number | undefined
  /** A session that comes to `END` earlier goes on from `START`. @default off */
  readonly minTimeMs?: number | undefined
}

/** Limits with numbers for all. */
type CheckedLimits = Readonly<Record<keyof Limits, number>>

/** Limits that are checked, with `Infinity` for most that are off. */
function checkedLimits(limits: Limits = {}): CheckedLimits {
  checkOptions('limits', limits, { maxCount: true, maxTimeMs: true, minTimeMs: true })
  for (const [name, value] of Object.entries(limits))
    if (value !== undefined && (typeof value !== 'number' || Number.isNaN(value)))
      throw invalidConfig(
        `${name} of a session must be a number, got ${String(value)}. A number of 0 or less turns it off.`,
      )
  const { maxCount = 0, maxTimeMs = 0, minTimeMs = 0 } = limits
  if (minTimeMs === Infinity)
    throw invalidConfig('minTimeMs of a session must be finite, as the session would not end.')
  const checked = {
    maxCount: maxCount > 0 ? Math.ceil(maxCount) : Infinity,
    maxTimeMs: maxTimeMs > 0 ? maxTimeMs : Infinity,
    minTimeMs: Math.max(0, minTimeMs),
  }
  if (checked.minTimeMs > checked.maxTimeMs)
    throw invalidConfig(`minTimeMs of a session (${minTimeMs}) is above its maxTimeMs (${maxTimeMs}).`)
  return checked
}
