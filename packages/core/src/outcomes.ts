import { type ErrorCode, isStoreError, type StoreError } from './errors.ts'
import type { Mutation } from './store.ts'

/** What a call does to one key, as far as doing it twice matters. */
export type Deed = 'read' | 'set' | 'delete' | 'conditional' | 'touch' | 'increment'

/** How an attempt ended without an answer that settles it. */
export type Failure =
  /** Nothing went out, or the store said that it did nothing: no connection, a full queue, a refusal for now. */
  | 'refused'
  /** It went out and no answer came: it may or may not have taken effect. */
  | 'unanswered'

/** One row of the table: what an attempt that failed so is told as, and whether it may be made again. */
export interface Outcome {
  readonly deed: Deed
  readonly failure: Failure
  /** Codes that the caller may get. */
  readonly codes: readonly ErrorCode[]
  /**
   * `yes`: again with the same arguments. `asked`: only where the application asked for it. `read back`: never blindly;
   * the version token of the attempt, found in the store, tells that it took effect. `no`: never.
   */
  readonly retry: 'yes' | 'asked' | 'read back' | 'no'
  /** Whether a second attempt may run beside the first. */
  readonly hedge: boolean
  /** Why. */
  readonly because: string
}

const refusedCodes = ['UNAVAILABLE', 'OVERLOADED'] as const
const unknown = ['OUTCOME_UNKNOWN'] as const
const nothingHappened = 'Nothing was changed.'
const late = 'A late duplicate could undo what another writer wrote since.'

/**
 * What may be tried again, and when: the one table that the whole library goes by (`mayRetry`), from which
 * `docs/reference/outcomes.md` is written. A deadline that has come is never followed by another attempt.
 */
export const outcomes: readonly Outcome[] = [
  row('read', 'refused', refusedCodes, 'yes', true, 'A read changes nothing.'),
  row('read', 'unanswered', ['UNAVAILABLE'], 'yes', true, 'A read changes nothing.'),
  row('set', 'refused', refusedCodes, 'yes', false, nothingHappened),
  row('set', 'unanswered', unknown, 'asked', false, late),
  row('delete', 'refused', refusedCodes, 'yes', false, nothingHappened),
  row('delete', 'unanswered', unknown, 'asked', false, late),
  row('conditional', 'refused', refusedCodes, 'yes', false, nothingHappened),
  row(
    'conditional',
    'unanswered',
    unknown,
    'read back',
    false,
    'A second attempt would meet the effect of the first and report a success as a failure.',
  ),
  row('touch', 'refused', refusedCodes, 'yes', false, nothingHappened),
  row('touch', 'unanswered', unknown, 'asked', false, late),
  row('increment', 'refused', refusedCodes, 'yes', false, nothingHappened),
  row('increment', 'unanswered', unknown, 'no', false, 'It would count twice.'),
]

/** What a mutation does, in the words of the table. */
export function deedOf({ type, ifVersion }: Mutation<unknown>): Deed {
  return (type === 'set' || type === 'delete') && ifVersion !== undefined ? 'conditional' : type
}

/** The row for this error; `undefined` if the error settles the matter (a refusal for good, a passed deadline). */
export function outcomeOf(deed: Deed, error: StoreError): Outcome | undefined {
  if (error.code !== 'OUTCOME_UNKNOWN' && !error.retryable) return undefined
  const failure = error.code === 'OUTCOME_UNKNOWN' ? 'unanswered' : 'refused'
  return outcomes.find(
    (one) => one.deed === deed && one.failure === failure && one.codes.includes(error.code),
  )
}

/** Whether the table lets an attempt with this error be made again; `asked`: the application allows late duplicates. */
export function mayRetry(deed: Deed, error: unknown, asked = false): boolean {
  if (!isStoreError(error)) return false
  const retry = outcomeOf(deed, error)?.retry
  return retry === 'yes' || (asked && retry === 'asked')
}

function row(
  deed: Deed,
  failure: Failure,
  codes: Outcome['codes'],
  retry: Outcome['retry'],
  hedge: boolean,
  because: string,
): Outcome {
  return Object.freeze({ deed, failure, codes, retry, hedge, because })
}
