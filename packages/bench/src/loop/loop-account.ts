import { checkFactoryOptions, checkMs, type OptionNames } from '@unikv/core/adapter'
import { Histogram, type HistogramOptions } from '@unikv/core/histogram'
import { type LoopClock, spinningClock } from './clock.ts'
import { countCode, type KindResult, type LoopResult, rateOf } from './loop-result.ts'
import type { LoopObserver, Operations } from './operations.ts'

/** Options of both loops. */
export interface LoopOptions {
  /** Operations in all; in an open loop, arrivals. @default Infinity */
  readonly operations?: number | undefined
  /** No operation starts after this time; arrivals intended at this time or later do not happen. @default Infinity */
  readonly durationMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** `spinningClock` in a worker thread, or `timerClock`. @default spinningClock */
  readonly clock?: LoopClock | undefined
  /** How times are counted. */
  readonly histogram?: HistogramOptions | undefined
  readonly observer?: LoopObserver | undefined
}

/** Their names. */
export const loopOptionNames: OptionNames<LoopOptions> = {
  operations: true,
  durationMs: true,
  signal: true,
  clock: true,
  histogram: true,
  observer: true,
}

/**
 * Check the options of a loop.
 *
 * @throws {RangeError} if nothing limits it, or a number of operations is not a whole one
 */
export function checkLoop<T extends LoopOptions>(
  loop: 'closed' | 'open',
  options: T,
  names: OptionNames<T>,
): void {
  const { operations = Infinity, durationMs = Infinity, signal } = options
  checkFactoryOptions(`${loop}Loop`, options, names)
  checkMs({ durationMs: options.durationMs }, { least: 0 })
  checkCounts({ operations: options.operations }, { least: 0, infinite: true })
  if (operations === Infinity && durationMs === Infinity && signal === undefined)
    throw new RangeError(
      `A${loop === 'open' ? 'n' : ''} ${loop} loop needs a number of operations, a duration or a signal.`,
    )
}

/**
 * Check options that count operations or workers; those that are absent pass. `infinite`: `Infinity` means without limit.
 *
 * @throws {RangeError} if one is not a whole number within its limits
 */
export function checkCounts(
  counts: Readonly<Record<string, number | undefined>>,
  { least, infinite }: { readonly least: number; readonly infinite: boolean },
): void {
  for (const [name, count] of Object.entries(counts)) {
    if (count === undefined || (infinite && count === Infinity)) continue
    if (!(Number.isSafeInteger(count) && count >= least))
      throw new RangeError(`${name} must be a whole number of at least ${least}, got ${String(count)}.`)
  }
}

/** Counts the operations of a loop that have ended. */
export class LoopAccount {
  readonly startedAt: number
  readonly durationMs: number
  /** When the last operation ended. */
  lastEnd: number
  errors = 0
  readonly #loop: 'closed' | 'open'
  readonly #kinds: KindResult[]
  readonly #clock: LoopClock
  readonly #observer: LoopObserver | undefined
  readonly #wallStart: number
  #firstError: unknown

  constructor(loop: 'closed' | 'open', { kinds }: Operations, options: LoopOptions) {
    const { clock = spinningClock, durationMs = Infinity, histogram, observer } = options
    this.#loop = loop
    this.#clock = clock
    this.#observer = observer
    this.durationMs = durationMs
    this.#kinds = emptyKinds(kinds, loop, histogram)
    this.#wallStart = clock.wallNow()
    this.startedAt = clock.now()
    this.lastEnd = this.startedAt
  }

  /** An operation succeeded, at this time. */
  count(kind: number, at: number, serviceNs: number, responseNs: number): void {
    const counted = this.#kinds[kind] as KindResult
    counted.service.record(serviceNs)
    if (counted.response !== counted.service) counted.response.record(responseNs)
    const atMs = at - this.startedAt
    if (atMs > this.durationMs) counted.late++
    this.#observer?.ended(kind, atMs, serviceNs, responseNs)
  }

  /** An operation failed, at this time. */
  fail(kind: number, at: number, error: unknown, ns: number): void {
    if (this.errors === 0) this.#firstError = error
    this.errors++
    countFailure(this.#kinds[kind] as KindResult, error, ns)
    this.#observer?.failed(kind, at - this.startedAt, error)
  }

  /** Milliseconds since the loop began. */
  get passedMs(): number {
    return this.#clock.now() - this.startedAt
  }

  /** The measurements of so many operations, but for those that the loop itself has. */
  result(operations: number): Omit<LoopResult, 'countedMs' | 'lostMs' | 'aborted' | 'open'> {
    const elapsedMs = this.lastEnd - this.startedAt
    return {
      loop: this.#loop,
      kinds: this.#kinds,
      operations,
      errors: this.errors,
      firstError: this.#firstError,
      elapsedMs,
      rate: rateOf(operations, elapsedMs),
      clockJumpMs: this.#clock.wallNow() - this.#wallStart - this.passedMs,
    }
  }
}

/** An operation of this kind failed, after so many nanoseconds. */
function countFailure(kind: KindResult, error: unknown, ns: number): void {
  kind.errors++
  kind.failed.record(Math.max(0, ns))
  countCode(kind.codes, error)
}

/** Empty results of some kinds. */
function emptyKinds(
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
