import { meanOf } from '../moments.ts'
import type { UslPoint } from './usl-law.ts'

/**
 * The form of a curve of throughput over callers. `linear`: the last point still has 80 % of what the first callers each do;
 * `saturating`: it flattens; `falling`: it ends at least 5 % below its highest point; `broken`: throughput jumps between two
 * neighbours in a way that no smooth law explains, or ends altogether.
 */
export type CurveShape = 'linear' | 'saturating' | 'falling' | 'broken'

const LINEAR_SHARE = 0.8
const FALLEN_SHARE = 0.95
/** A step from one point to the next that is so much steeper or lower than that of the law is a jump. */
const JUMP = 1.5

/** The shape of measured points, by the law that fits them. */
export function curveShape(points: readonly UslPoint[], law: (n: number) => number): CurveShape {
  const means = meansByN(points)
  if (isBroken(means, law)) return 'broken'
  const [first, last] = [means[0] as UslPoint, means.at(-1) as UslPoint]
  if (law(last.n) / last.n >= LINEAR_SHARE * (law(first.n) / first.n)) return 'linear'
  const hasFallen = hasFallenAtEnd(means.map(({ x }) => x)) && hasFallenAtEnd(means.map(({ n }) => law(n)))
  return hasFallen ? 'falling' : 'saturating'
}

function hasFallenAtEnd(xs: readonly number[]): boolean {
  return (xs.at(-1) as number) <= FALLEN_SHARE * Math.max(...xs)
}

function isBroken(means: readonly UslPoint[], law: (n: number) => number): boolean {
  const deviations = means.map(({ n, x }) => x / law(n))
  return deviations.some((deviation, i) => {
    const step = deviation / (deviations[i - 1] ?? deviation)
    return !(step > 1 / JUMP && step < JUMP)
  })
}

/** One point for each number of callers, in rising order. */
function meansByN(points: readonly UslPoint[]): UslPoint[] {
  const groups = new Map<number, number[]>()
  for (const { n, x } of points) groups.set(n, [...(groups.get(n) ?? []), x])
  return [...groups].map(([n, xs]) => ({ n, x: meanOf(xs) })).sort((a, b) => a.n - b.n)
}
