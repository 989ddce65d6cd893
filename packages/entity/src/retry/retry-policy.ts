import { checkMs, checkOptions, type OptionNames, StoreError } from '@unikv/core/adapter'

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

/** Options of `exponential` and `linear`. */
export interface BackOffOptions {
  /** Most further attempts. @default 100 */
  readonly retries?: number | undefined
  /** Most waiting in all, in milliseconds. @default 10,000 */
  readonly totalMs?: number | undefined
  /** How many failures are followed by an attempt at once. @default 4 */
  readonly atOnce?: number | undefined
  /** Bound of the first wait, in milliseconds. @default 1 */
  readonly firstMs?: number | undefined
  /** Bound of the longest wait, in milliseconds. @default 1,000 */
  readonly longestMs?: number | undefined
}

/** Names of these options. */
export const backOffNames: OptionNames<BackOffOptions> = {
  retries: true,
  totalMs: true,
  atOnce: true,
  firstMs: true,
  longestMs: true,
}

/** Waits with full jitter below a bound that doubles with each failure: below 1, 2, 4 … 1,000 ms. */
export function exponential(options: BackOffOptions = {}): RetryPolicy {
  const { firstMs, longestMs, ...settings } = settingsOf('exponential', options)
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

/** The options with their defaults, checked. */
export function settingsOf(
  whose: string,
  options: BackOffOptions,
): Required<{ [N in keyof BackOffOptions]: number }> {
  checkOptions(whose, options, backOffNames)
  const { retries = 100, totalMs = 10_000, atOnce = 4, firstMs = 1, longestMs = 1000 } = options
  checkMs({ totalMs }, { least: 0 })
  checkMs({ firstMs })
  checkMs({ longestMs })
  for (const [name, value] of Object.entries({ retries, atOnce }))
    if (!(value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 0)))
      throw new StoreError(
        'INVALID_CONFIG',
        `\`${name}\` must be a whole number from 0, got ${String(value)}.`,
      )
  return { retries, totalMs, atOnce, firstMs, longestMs }
}
