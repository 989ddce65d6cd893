import { compared } from '../../statistics/compare/comparison.ts'
import type { Curve, CurvePoint } from '../sweep/result.ts'

/** A candidate as it is compared with others. */
export interface Placed {
  readonly met: number
  readonly throughput: number
  /** Its throughput in each run. */
  readonly scores: readonly number[]
}

/** The first and the last place of each candidate: those that cannot be told apart by their runs share places. */
export function placesOf(all: readonly Placed[]): readonly (readonly [first: number, last: number])[] {
  return all.map((one) => {
    const better = all.filter((other) => isBetter(other, one)).length
    const worse = all.filter((other) => isBetter(one, other)).length
    return [better + 1, all.length - worse]
  })
}

function isBetter(one: Placed, other: Placed): boolean {
  if (one.met !== other.met) return one.met > other.met
  if (one.throughput <= other.throughput) return false
  const [a, b] = [other.scores, one.scores]
  if (Math.min(a.length, b.length) === 0 || Math.min(...a, ...b) <= 0) return true
  // Runs take the candidates in turn, so that the machine was the same for a pair of them.
  return (
    compared(a, b, { better: 'higher', inTurn: a.length === b.length && a.length > 1 }).verdict === 'faster'
  )
}

/** The throughput of each run: the geometric mean over the loads of the rates at their best point. */
export function scoresOf(curves: readonly Curve[], store: string): readonly number[] {
  const best = curves.filter((curve) => curve.store === store).map(({ points }) => highest(points).rate.runs)
  const runs = Math.min(...best.map(({ length }) => length))
  if (best.length === 0) return []
  return Array.from({ length: runs }, (_, run) =>
    Math.exp(best.reduce((sum, rates) => sum + Math.log(rates[run] as number), 0) / best.length),
  )
}

function highest(points: readonly CurvePoint[]): CurvePoint {
  return points.reduce((most, point) => (point.rate.mean > most.rate.mean ? point : most))
}
