import {
  checkOptions,
  kindOf,
  ms,
  type OptionNames,
  type OptionsOf,
  readOptions,
  type SettingsOf,
  StoreError,
  whole,
} from '@unikv/core/adapter'
import { isPlainObject } from '@unikv/core/platform'
import { waits } from '../waits.ts'

/** The call of a step. */
export interface StepCall<I> {
  /** Id of the saga. */
  readonly id: string
  readonly input: I
  /** Results of the steps before, by their names. */
  readonly results: Readonly<Record<string, unknown>>
  /** The same for each attempt at this step and for its undoing, for `once` or the idempotency key of a service. */
  readonly key: string
  /** Aborted when the time of the step is over, or when another process may have taken the saga. */
  readonly signal: AbortSignal
}

/** A step of a saga. Each of its functions may be called several times. */
export interface SagaStep<I> {
  /** Unlike those of the other steps. It is stored, so it must stay. */
  readonly name: string
  /** Do it. Its result must be a value that the codec of the saga can hold. */
  run(call: StepCall<I>): unknown
  /** Undo it, also if it took effect in part or not at all. @default nothing is undone */
  undo?(call: StepCall<I>): unknown
}

const table = {
  /** How many failed attempts at a step are enough to undo all. @default 3 */
  attempts: whole(3),
  /** Time of one attempt, in milliseconds; then it has failed. @default 30,000 */
  stepMs: ms(30_000),
  /** The wait after so many failures of a step or its undoing, in milliseconds. @default 100 · 2^(failed − 1), up to a minute */
  retryMs: waits,
  /** How long a process that does not answer keeps a saga, in milliseconds. @default 5000 */
  leaseMs: ms(5000),
  /** How long the end of a saga can be asked for, in milliseconds, where the store has expiry. @default 24 hours */
  keepMs: ms(24 * 60 * 60 * 1000),
}

/** Options of `saga`. */
export interface SagaOptions extends OptionsOf<typeof table> {}

/** The end of a saga: all its steps were done, or all that were begun are undone. */
export type SagaEnd =
  | { readonly state: 'done'; readonly results: Readonly<Record<string, unknown>> }
  | {
      readonly state: 'undone'
      /** The step that failed. */
      readonly failedAt: string
      /** The message of its last error. */
      readonly why: string
    }

/** The options with their defaults. */
export type SagaPlan = SettingsOf<typeof table>

const stepNames: OptionNames<SagaStep<never>> = { name: true, run: true, undo: true }

/** @throws {StoreError} `INVALID_CONFIG` */
export function sagaPlanOf(steps: readonly SagaStep<never>[], options: SagaOptions): SagaPlan {
  const plan = readOptions('saga', table, options)
  if (!Array.isArray(steps) || steps.length === 0) throw invalid('its steps must be a list of one at least')
  for (const step of steps) checkStep(step)
  if (new Set(steps.map(({ name }) => name)).size < steps.length) throw invalid('two steps have one name')
  return plan
}

/** Objects of classes may have more than a step needs. A name that is not known is a mistake in a plain one: its undoing would be forgotten. */
function checkStep(step: SagaStep<never>): void {
  if (typeof step?.name !== 'string' || typeof step.run !== 'function')
    throw invalid('each step must have a `name` and a function `run`')
  const { undo } = step as { readonly undo?: unknown }
  if (undo !== undefined && typeof undo !== 'function')
    throw invalid(`\`undo\` of a step must be a function, got ${kindOf(undo)}`)
  if (isPlainObject(step)) checkOptions('a step of saga', step, stepNames)
}

function invalid(why: string): StoreError {
  return new StoreError('INVALID_CONFIG', `saga() cannot be made: ${why}.`)
}
