import { studentTCumulative } from '../student-t.ts'
import { type Freedom, type LeastSquares, leastSquares, type ScaledPoint } from './least-squares.ts'
import { groupsByN } from './scatter.ts'
import type { UslPoint } from './usl-law.ts'

/** A parameter stays if chance explains its gain so seldom. */
const level = 0.05

/**
 * The fit with no more parameters than the points bear out, by F tests: a straight line, Amdahl's law, or the whole law. A parameter must
 * stand both where all residuals count alike and where they count by their share of the throughput: runs scatter more where it is
 * high.
 */
export function chosenModel(points: readonly UslPoint[]): LeastSquares {
  const shares = scaled(points)
  const whole = leastSquares(points)
  if (gains(points, 3) && gains(shares, 3)) return whole
  const amdahl = leastSquares(points, 2)
  return gains(points, 2) && gains(shares, 2) ? amdahl : leastSquares(points, 1)
}

/** Whether the last of so many parameters does more than chance. Three points bear out three parameters: nothing speaks against them. */
function gains(points: readonly ScaledPoint[], freedom: Exclude<Freedom, 1>): boolean {
  const left = points.length - freedom
  if (left < 1) return true
  const { squares, parameters } = leastSquares(points, freedom)
  if ((freedom === 3 ? parameters.beta : parameters.alpha) === 0) return false
  const without = leastSquares(points, freedom === 3 ? 2 : 1).squares
  const f = (without - squares) / (squares / left)
  return !(f >= 0) ? false : 2 * studentTCumulative(-Math.sqrt(f), left) < level
}

function scaled(points: readonly UslPoint[]): readonly ScaledPoint[] {
  const means = new Map(groupsByN(points).map(({ n, x }) => [n, x]))
  const least = Math.max(...means.values()) * 1e-3
  return points.map(({ n, x }) => ({ n, x, scale: Math.max(least, means.get(n) ?? 0) }))
}
