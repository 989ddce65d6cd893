import { Histogram, type HistogramOptions } from '@unikv/core/histogram'
import { countCode } from './failure-codes.ts'

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

/** An operation of this kind failed, after so many nanoseconds. */
export function countFailure(kind: KindResult, error: unknown, ns: number): void {
  kind.errors++
  kind.failed.record(Math.max(0, ns))
  countCode(kind.codes, error)
}

/** Empty results of some kinds. */
export function emptyKinds(
  names: readonly string[],
  loop: 'closed' | 'open',
  histogram: HistogramOptions = {},
): KindResult[] {
  return names.map((name) => {
    const service = new Histogram(histogram)
    const response = loop === 'closed' ? service : new Histogram(histogram)
    return { name, service, response, failed: new Histogram(histogram), errors: 0, late: 0, codes: new Map() }
  })
}
