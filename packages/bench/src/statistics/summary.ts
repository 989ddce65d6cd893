import { studentTQuantile } from './student-t.ts'

/** The summary of several runs of one measurement. Every run is kept. */
export interface Summary {
  readonly runs: readonly number[]
  readonly mean: number
  /** Sample standard deviation (n − 1); `null` of one run. */
  readonly deviation: number | null
  /** Half-width of the confidence interval of the mean, by Student's t; `null` of one run. */
  readonly halfWidth: number | null
}

/**
 * Mean, deviation and confidence interval of run means. Never of single operations: those of one run are not
 * independent, and the interval would be far too narrow.
 *
 * @param confidence share of such intervals that hold the true mean. Default 0.95
 * @throws {RangeError} if there is no run
 */
export function summarise(runs: readonly number[], confidence = 0.95): Summary {
  if (runs.length === 0) throw new RangeError('A summary needs one run or more.')
  const mean = runs.reduce((sum, run) => sum + run, 0) / runs.length
  if (runs.length === 1) return { runs, mean, deviation: null, halfWidth: null }
  const squares = runs.reduce((sum, run) => sum + (run - mean) ** 2, 0)
  const deviation = Math.sqrt(squares / (runs.length - 1))
  const t = studentTQuantile((1 + confidence) / 2, runs.length - 1)
  return { runs, mean, deviation, halfWidth: (t * deviation) / Math.sqrt(runs.length) }
}

/**
 * Slope of the straight line through points on log-log axes: 0 is flat, 1 is proportional. `NaN` of fewer than
 * two points, or where a coordinate is not above 0.
 */
export function logLogSlope(points: readonly (readonly [x: number, y: number])[]): number {
  if (points.length < 2) return Number.NaN
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length
  const covariance = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return covariance / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}
