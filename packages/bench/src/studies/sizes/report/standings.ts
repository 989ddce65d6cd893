import { type Ratio, ratioOf } from '../../../statistics/ratio.ts'
import type { LatencySeries, Measured } from '../result.ts'

/** A store at one size, compared with the fastest one. */
export interface Standing {
  readonly store: string
  /** How many times as long it takes as the fastest, within each run; `low` and `high` are `null` of too few runs. */
  readonly ratio: Ratio
}

/** Two runs say nothing of how much runs differ. */
export const leastRuns = 3

/** The stores at one size, the fastest first. */
export function standings(series: readonly LatencySeries[], size: number): Standing[] {
  const found = series
    .flatMap(({ store, mode, points }) => {
      const point = points.find((one) => one.size === size)
      return point === undefined ? [] : [{ store, runsMs: comparedBy(mode, point) }]
    })
    .sort((one, other) => middle(one.runsMs) - middle(other.runsMs))
  const [fastest] = found
  if (fastest === undefined) return []
  return found.map(({ store, runsMs }) => ({ store, ratio: runRatio(runsMs, fastest.runsMs) }))
}

/**
 * Single calls by their median, on which a pause of the machine weighs little; many in flight by their mean, which is
 * what makes calls a second.
 */
function comparedBy(mode: LatencySeries['mode'], { runsMs, runMediansMs }: Measured): readonly number[] {
  return mode === 'sequential' ? runMediansMs : runsMs
}

/** Whether a store is slower than the fastest beyond what chance explains. */
export function isSlower({ ratio: { low } }: Standing): boolean {
  return low !== null && low > 1
}

/** Ends of an interval that lie further apart say nothing. */
const WIDEST = 25

/** Whether the runs vary too much to tell how many times as long a store takes. */
export function isVague({ ratio: { low, high } }: Standing): boolean {
  return low !== null && high !== null && high / low > WIDEST
}

/** Runs of all stores are interleaved: what disturbs the machine meanwhile cancels out of the ratio of one run. */
function runRatio(runs: readonly number[], fastest: readonly number[]): Ratio {
  const both = Math.min(runs.length, fastest.length)
  const ratio = ratioOf(runs.slice(0, both).map((ms, run) => ms / (fastest[run] as number)))
  return both < leastRuns ? { ...ratio, low: null, high: null } : ratio
}

/** By logarithms, as the ratios. */
function middle(runs: readonly number[]): number {
  return runs.reduce((sum, run) => sum + Math.log(run), 0) / runs.length
}
