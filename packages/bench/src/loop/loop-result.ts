import { isStoreError } from '@unikv/core'
import type { Histogram } from '@unikv/core/histogram'
import { isError } from '@unikv/core/platform'

/** The measurements of one kind of operation. Times are in nanoseconds; failures are counted apart, not in them. */
export interface KindResult {
  readonly name: string
  /** From start to end: what the store took. */
  readonly service: Histogram
  /** From the *intended* start to the end: what a user of that rate would have seen. Equal to `service` in a closed loop. */
  readonly response: Histogram
  /** From start to end of operations that failed. */
  readonly failed: Histogram
  /** Operations that failed. */
  errors: number
  /** The same by the codes of their errors. */
  readonly codes: Map<string, number>
  /** Successes that ended after the loop's duration: their times count, and rates are without them. */
  late: number
}

/** The measurements of a loop. */
export interface LoopResult {
  readonly loop: 'closed' | 'open'
  readonly kinds: readonly KindResult[]
  /** Operations that were started and have ended, failures included. */
  readonly operations: number
  readonly errors: number
  /** First error, as a sample for the report. */
  readonly firstError: unknown
  /** From the first start to the last end. */
  readonly elapsedMs: number
  /** The time that rates of operations which were not late are of: the loop's duration, or `elapsedMs` if the loop ended earlier. */
  readonly countedMs: number
  /** Operations a second over `elapsedMs`; 0 if there was none. */
  readonly rate: number
  /** How far wall clock and monotonic clock moved apart meanwhile: a set clock, or a machine that slept. */
  readonly clockJumpMs: number
  /**
   * Milliseconds in which this process did not run, by pauses of more than 50: it was busy with other work or had no
   * processor. Pauses within the start of an operation are the store's. 0 in an open loop, whose lag tells them.
   */
  readonly lostMs: number
  /** Whether the signal ended the loop before its limit. */
  readonly aborted: boolean
  /** The open loop's own account; `undefined` of a closed one. */
  readonly open?: OpenLoopResult | undefined
}

/** The measurements that only an open loop has. */
export interface OpenLoopResult {
  /** Arrivals that the schedule asked for. */
  readonly arrivals: number
  /** Arrivals not started because too many operations were in flight. */
  readonly dropped: number
  /** Arrivals that had to wait for an operation in flight to end. */
  readonly queued: number
  /** Arrivals a second of the schedule. */
  readonly targetRate: number
  /** From intended start to start in nanoseconds, of arrivals that did not queue: the generator's own delay. */
  readonly lag: Histogram
}

/** Operations a second. */
export function rateOf(operations: number, elapsedMs: number): number {
  return operations === 0 ? 0 : (operations / elapsedMs) * 1_000
}

/** The time that rates are of, if the loop went on for so long and its last operation ended then. */
export function countedTime(passedMs: number, elapsedMs: number, durationMs: number): number {
  return passedMs >= durationMs ? durationMs : elapsedMs
}

/** Failures of one kind of operation by the codes of their errors. */
export type FailureCodes = Readonly<Record<string, number>>

/** Codes may be anything that an operation of a user throws. */
const mostCodes = 50
const longestCode = 60
const others = 'others'

/** Count a failure by the code of its error, such as `TIMEOUT`; without one by its name, such as `TypeError`. */
export function countCode(counts: Map<string, number>, error: unknown): void {
  const code = failureCode(error)
  const counted = counts.has(code) || counts.size < mostCodes ? code : others
  counts.set(counted, (counts.get(counted) ?? 0) + 1)
}

/** The code of an error, or its name. A batch has that of the first item that failed. */
export function failureCode(error: unknown): string {
  const cause = firstCause(error)
  if (isStoreError(cause)) return cause.code
  if (!isError(cause)) return typeof cause
  const { code } = cause as NodeJS.ErrnoException
  return (typeof code === 'string' && code !== '' ? code : cause.name).slice(0, longestCode)
}

/** The same codes together. */
export function addedCodes(parts: readonly FailureCodes[]): FailureCodes {
  const sums = new Map<string, number>()
  for (const [code, count] of parts.flatMap(Object.entries)) sums.set(code, (sums.get(code) ?? 0) + count)
  return Object.fromEntries(sums)
}

/** Why the first item of a batch failed: the error of a batch only counts them. Other errors stay as they are. */
export function firstCause(error: unknown): unknown {
  const isBatch = isStoreError(error) && error.results !== undefined
  return isBatch && isStoreError(error.cause) ? error.cause : error
}
