import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { meanOf, summarise } from './summary.ts'

/** When a warm-up counts as over. */
export interface SteadyOptions {
  /** The last so many windows are looked at; 3 or more. @default 5 */
  readonly windows?: number | undefined
  /** Drift over these windows, as a share of their mean, that is accepted. @default 0.05 */
  readonly drift?: number | undefined
}

const optionNames: OptionNames<SteadyOptions> = { windows: true, drift: true }

/**
 * Whether a warm-up has reached a steady state: the straight line through the figures of the last windows, such as the
 * throughput of each second, rises or falls by no more than `drift` of their mean from the first to the last of them. False while
 * there are fewer windows, and while their mean is 0.
 *
 * @throws {RangeError} if `windows` is not a whole number from 3; `StoreError` with `INVALID_CONFIG` for an unknown option
 */
export function isSteady(figures: readonly number[], options: SteadyOptions = {}): boolean {
  checkFactoryOptions('isSteady', options, optionNames)
  const { windows = 5, drift = 0.05 } = options
  if (!(Number.isInteger(windows) && windows >= 3))
    throw new RangeError(`\`windows\` must be a whole number from 3, got ${windows}.`)
  if (figures.length < windows) return false
  const last = figures.slice(-windows)
  const mean = meanOf(last)
  return mean !== 0 && Math.abs(slopeOf(last, mean) * (windows - 1)) <= drift * Math.abs(mean)
}

/** Slope of the line through figures at even distances of 1. */
function slopeOf(figures: readonly number[], mean: number): number {
  const middle = (figures.length - 1) / 2
  const covariance = figures.reduce((sum, figure, i) => sum + (i - middle) * (figure - mean), 0)
  return covariance / figures.reduce((sum, _, i) => sum + (i - middle) ** 2, 0)
}

/**
 * Whether runs can stop: there are three or more, and the 95 % confidence interval of their mean reaches no farther than
 * `share` of the mean to either side, such as 0.02 for 2 %. Repeated looks make the interval somewhat too narrow: state the
 * number of runs with the result.
 *
 * @throws {RangeError} if `share` is not above 0
 */
export function isPrecise(runs: readonly number[], share: number): boolean {
  if (!(share > 0)) throw new RangeError(`The precision must be a share above 0, such as 0.02, got ${share}.`)
  if (runs.length < 3) return false
  const { mean, halfWidth } = summarise(runs)
  return halfWidth !== null && halfWidth <= share * Math.abs(mean)
}
