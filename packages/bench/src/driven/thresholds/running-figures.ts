import { type Histogram, histogramJson, histogramOf } from '@unikv/core/histogram'
import type { IntervalSample } from '../../loop/interval-sample.ts'
import type { CountedKind } from '../../operations/mixed-operations.ts'
import { sumOf } from '../../statistics/summary.ts'
import type { Threshold } from './threshold.ts'
import { beyondBound, type FiguredRun, figureOf, isBeyond } from './verdicts.ts'

/** Standard deviations: figures are looked at each second, and seldom cross a bound by chance even so. */
const deviations = 4

/**
 * Whether more than a share of all operations is beyond a bound, not by chance alone: the lower end of Wilson's interval is above
 * the share.
 */
function isAboveShare(beyond: number, of: number, share: number): boolean {
  if (of === 0) return false
  const square = deviations ** 2
  const found = beyond / of
  const middle = found + square / (2 * of)
  const width = deviations * Math.sqrt((found * (1 - found)) / of + square / (4 * of * of))
  return (middle - width) / (1 + square / of) > share
}

/** So many seconds of a run must have passed. */
const leastIntervals = 3
/** A share of fewer operations says little. */
const leastOperations = 100
/** A figure must be so far beyond its bound: percentiles of seconds are known to 1.6 %. */
const margin = 0.02

/** The figures of a store so far, second by second, over all its runs: for thresholds that end a run early. */
export class RunningFigures {
  readonly #kinds: readonly CountedKind[]
  readonly #isAtRate: boolean
  readonly #hasStages: boolean
  readonly #errors: number[]
  readonly #times: (Histogram | undefined)[]
  #elapsedMs = 0
  #intervals = 0

  /**
   * @param kinds those of the runs
   * @param isAtRate whether there are response times
   * @param hasStages whether the rate changes, so that the rate so far tells nothing of the rate of the run
   */
  constructor(kinds: readonly CountedKind[], isAtRate: boolean, hasStages: boolean = false) {
    this.#kinds = kinds
    this.#hasStages = hasStages
    this.#isAtRate = isAtRate
    this.#errors = kinds.map(() => 0)
    this.#times = kinds.map(() => undefined)
  }

  /** A run begins. */
  begin(): void {
    this.#intervals = 0
  }

  /** A second is over. */
  add({ kinds, lengthMs }: IntervalSample): void {
    this.#intervals += 1
    this.#elapsedMs += lengthMs
    for (const [index, { errors, times }] of kinds.entries()) {
      this.#errors[index] = (this.#errors[index] ?? 0) + errors
      const found = histogramOf(times)
      const sum = this.#times[index]
      if (sum === undefined) this.#times[index] = found
      else sum.merge(found)
    }
  }

  /** Whether a threshold is crossed beyond doubt: it cannot be kept any more, or its figure is far enough beyond the bound. */
  hasCrossed(thresholds: readonly Threshold[]): boolean {
    const run = this.#run()
    return thresholds.some((threshold) => this.#isClear(threshold, run))
  }

  #isClear(threshold: Threshold, run: FiguredRun): boolean {
    if (!this.#canTell(threshold)) return false
    const found = figureOf(threshold, [run])
    if (found === null) return false
    // A count only grows.
    if (threshold.unit === 'count') return threshold.comparison.startsWith('>') && isBeyond(threshold, found)
    if (this.#intervals < leastIntervals || this.#operations(run) < leastOperations) return false
    const factor = threshold.comparison.startsWith('>') ? 1 - margin : 1 + margin
    return isBeyond(threshold, found * factor) && !mayBeChance(threshold, run)
  }

  /** Seconds hold response times alone at a rate, and no checks of values; a largest time may still rise, a smallest one fall. */
  #canTell({ metric, times, unit, comparison }: Threshold): boolean {
    const isAbove = comparison.startsWith('>')
    if (metric === 'wrong' || (metric === 'rate' && this.#hasStages)) return false
    if ((metric === 'max' && !isAbove) || (metric === 'min' && isAbove)) return false
    return !(this.#isAtRate && unit === 'ms' && times === 'service')
  }

  #operations({ kinds }: FiguredRun): number {
    return sumOf(kinds, ({ service, errors }) => service.count + errors)
  }

  #run(): FiguredRun {
    const kinds = this.#kinds.flatMap((kind, index) => {
      const times = this.#times[index]
      if (times === undefined) return []
      const json = histogramJson(times)
      const response = this.#isAtRate ? json : null
      return [{ ...kind, errors: this.#errors[index] ?? 0, errorCodes: {}, late: 0, service: json, response }]
    })
    return { countedMs: this.#elapsedMs, kinds, checks: null }
  }
}

/** Whether so few operations are beyond the bound, or within it, that the next ones may bring the figure back. */
function mayBeChance(threshold: Threshold, run: FiguredRun): boolean {
  const found = beyondBound(threshold, [run])
  if (found === undefined) return false
  const { beyond, of, allowed } = found
  return threshold.comparison.startsWith('>')
    ? !isAboveShare(beyond, of, allowed)
    : !isAboveShare(of - beyond, of, 1 - allowed)
}
