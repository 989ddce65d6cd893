import { type ErrorCode, isStoreError, type StoreError } from './errors.ts'
import type { Mutation } from './store.ts'

/** The kinds of effect on one key that differ when a call is done twice. */
export type Deed =
  | 'read'
  | 'set'
  | 'delete'
  | 'conditional set'
  | 'conditional delete'
  | 'touch'
  | 'increment'

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
  /** `yes`: again with the same arguments, and the same version. `asked`: only where the application allows it. */
  readonly retry: 'yes' | 'asked' | 'no'
  /**
   * Whether the key, read again, can tell: a record with the version of the attempt means that it took effect. Another
   * version, or none, means nothing: the request may still be on its way, or somebody wrote since.
   */
  readonly readBack: boolean
  /** Whether a second attempt may run beside the first. */
  readonly hedge: boolean
  /** Why. */
  readonly because: string
}

const refusedCodes = ['UNAVAILABLE', 'OVERLOADED'] as const
const unknown = ['OUTCOME_UNKNOWN'] as const

/**
 * The one table of what may be retried, and when, for the whole library (`mayRetry`), from which
 * `docs/reference/outcomes.md` is written. A deadline that has come is never followed by another attempt, and what the
 * server refused for good (a full store, a wrong credential, a condition that did not hold) is settled.
 */
export const outcomes: readonly Outcome[] = [
  ...rows('read', { retry: 'yes', hedge: true, because: 'A read changes nothing.' }, ['UNAVAILABLE']),
  ...rows('set', {
    retry: 'asked',
    readBack: true,
    because: 'A late duplicate could undo a later write by another writer.',
  }),
  ...rows('delete', {
    retry: 'asked',
    because: 'A late duplicate could delete a later write by another writer, and leave no trace.',
  }),
  ...rows('conditional set', {
    retry: 'no',
    readBack: true,
    because: 'A second attempt would find the effect of the first, and report a success as a failure.',
  }),
  ...rows('conditional delete', {
    retry: 'no',
    because: 'A second attempt would find the effect of the first, which leaves no trace.',
  }),
  ...rows('touch', {
    retry: 'asked',
    because:
      'A late duplicate could shorten an expiry that another writer has extended. The version does not change.',
  }),
  ...rows('increment', { retry: 'no', readBack: true, because: 'A second attempt would count twice.' }),
]

/** The kind of a mutation, in the terms of the table. */
export function deedOf({ type, ifVersion }: Mutation<unknown>): Deed {
  if (ifVersion === undefined || type === 'touch' || type === 'increment') return type
  return `conditional ${type}`
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

type Unanswered = Partial<Outcome> & Pick<Outcome, 'retry' | 'because'>

/** The two rows of a deed: what was refused had no effect; what was not answered is as `unanswered` says. */
function rows(
  deed: Deed,
  unanswered: Unanswered,
  codes: Outcome['codes'] = unknown,
): readonly [Outcome, Outcome] {
  const { hedge = false } = unanswered
  const refused: Unanswered = { retry: 'yes', because: 'Nothing was changed.' }
  return [
    Object.freeze({ deed, failure: 'refused', codes: refusedCodes, hedge, readBack: false, ...refused }),
    Object.freeze({ deed, failure: 'unanswered', codes, hedge, readBack: false, ...unanswered }),
  ]
}
