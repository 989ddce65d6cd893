import { ms, type OptionsOf, readOptions, valid } from '@unikv/core/adapter'

/** An attempt of a transaction that lost a conflict. */
export interface LostAttempt {
  /** How many attempts of this run have failed: 1 after the first. */
  readonly count: number
  /** How long the run has waited before attempts, in milliseconds. */
  readonly waitedMs: number
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/** How long to wait before the next attempt, in milliseconds; `undefined`: give up. */
export type RetryPolicy = (lost: LostAttempt) => number | undefined

/** The options of both ways to wait. */
export const backOffTable = {
  /** Most further attempts. @default 100 */
  retries: count(100),
  /** Most waiting in all, in milliseconds. @default 10,000 */
  totalMs: ms(10_000, { least: 0 }),
  /** How many failures are followed by an attempt at once. @default 4 */
  atOnce: count(4),
  /** Bound of the first wait, in milliseconds. @default 1 */
  firstMs: ms(1),
  /** Bound of the longest wait, in milliseconds. @default 1,000 */
  longestMs: ms(1_000),
}

/** Options of `exponential` and `linear`. */
export interface BackOffOptions extends OptionsOf<typeof backOffTable> {}

/** Waits with full jitter below a bound that doubles with each failure: below 1, 2, 4 … 1,000 ms. */
export function exponential(options: BackOffOptions = {}): RetryPolicy {
  const { firstMs, longestMs, ...settings } = readOptions('exponential', backOffTable, options)
  return backOff(settings, (step) => Math.min(longestMs, firstMs * 2 ** step))
}

interface BackOff {
  readonly retries: number
  readonly totalMs: number
  readonly atOnce: number
}

/** The policy with these bounds. */
export function backOff(
  { retries, totalMs, atOnce }: BackOff,
  boundOf: (step: number) => number,
): RetryPolicy {
  return ({ count, waitedMs, random }) => {
    if (count > retries || waitedMs >= totalMs) return undefined
    if (count <= atOnce) return 0
    return Math.min(Math.floor(random() * boundOf(count - atOnce - 1)), totalMs - waitedMs)
  }
}

function count(preset: number) {
  return valid<number, number>(
    'be a whole number from 0, or Infinity',
    (given) => given === Number.POSITIVE_INFINITY || (Number.isInteger(given) && (given as number) >= 0),
    preset,
  )
}
