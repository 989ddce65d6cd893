import { meanOf } from '../moments.ts'
import { studentTQuantile } from '../student-t.ts'
import type { UslPoint } from './usl-law.ts'

/** The runs at one number of callers, with their mean. */
export interface Group extends UslPoint {
  readonly runs: readonly number[]
}

/** One group for each number of callers, in rising order. */
export function groupsByN(points: readonly UslPoint[]): Group[] {
  const groups = new Map<number, number[]>()
  for (const { n, x } of points) groups.set(n, [...(groups.get(n) ?? []), x])
  return [...groups].map(([n, runs]) => ({ n, x: meanOf(runs), runs })).sort((a, b) => a.n - b.n)
}

/** So seldom does chance alone bring about a difference that counts, in a whole curve. */
const FALSE_ALARMS = 0.05

/** How far apart means may be by chance, by the scatter of the runs of all points. */
export class Scatter {
  readonly #reach: number

  /** @param groups - two or more; where none has several runs, nothing is known of chance, and every difference counts */
  constructor(groups: readonly Group[]) {
    const several = groups.filter(({ x, runs }) => runs.length > 1 && x > 0)
    const freedom = several.reduce((sum, { runs }) => sum + runs.length - 1, 0)
    const squares = several.flatMap(({ x, runs }) => runs.map((run) => (run / x - 1) ** 2))
    const variance = squares.reduce((sum, square) => sum + square, 0) / freedom
    const probability = 1 - FALSE_ALARMS / 2 / (groups.length - 1)
    this.#reach = freedom === 0 ? 0 : Math.sqrt(variance) * studentTQuantile(probability, freedom)
  }

  /** The largest sum of logarithms of these means, each times its factor, that chance explains. */
  mostOf(terms: readonly (readonly [factor: number, group: Group])[]): number {
    return this.#reach * Math.sqrt(terms.reduce((sum, [by, { runs }]) => sum + by ** 2 / runs.length, 0))
  }
}
