import { studentTQuantile } from '../distributions.ts'
import { meanOf } from '../summary.ts'
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

/** A step from one point to the next that is so much steeper or lower than that of the law is a jump. */
const JUMP = Math.log(1.5)
/** A bend upwards of this size is none of a smooth curve. */
const BEND = Math.log(1.2)

/** A step between neighbours. */
interface Step {
  readonly from: Group
  readonly to: Group
  /** The logarithm of the ratio of callers. */
  readonly width: number
  /** The logarithm of the ratio of throughputs. */
  readonly height: number
}

/**
 * Whether a curve jumps. On two logarithmic axes each smooth law, and a hard limit too, bends downwards only, with slopes from 1 to −1.
 * So a jump is a step that the law misses, and that bends the curve upwards: before it if it rises, after it if it falls.
 */
export function isBroken(groups: readonly Group[], law: (n: number) => number, scatter: Scatter): boolean {
  if (groups.some(({ x }) => x === 0)) return true
  const steps = groups.slice(1).map((to, i): Step => {
    const from = groups[i] as Group
    return { from, to, width: Math.log(to.n / from.n), height: Math.log(to.x / from.x) }
  })
  return steps.some((step, i) => {
    const { from, to, height } = step
    const missed = height - Math.log(law(to.n) / law(from.n))
    const chance = scatter.mostOf([
      [1, to],
      [-1, from],
    ])
    if (Math.abs(missed) < Math.max(JUMP, chance)) return false
    if (missed > 0) return risesTooFar(step, chance) || bendsUp(steps[i - 1], step, step, scatter)
    return fallsTooFar(step, chance) || bendsUp(step, steps[i + 1], step, scatter)
  })
}

/** More than the callers. */
function risesTooFar({ width, height }: Step, chance: number): boolean {
  return height - width > Math.max(JUMP, chance)
}

/** More than callers that only hinder each other. */
function fallsTooFar({ width, height }: Step, chance: number): boolean {
  return -height - width > Math.max(JUMP, chance)
}

/** Whether a curve bends upwards between two steps, as far as one of them is wide. */
function bendsUp(one: Step | undefined, next: Step | undefined, { width }: Step, scatter: Scatter): boolean {
  if (one === undefined || next === undefined) return false
  const [before, after] = [width / one.width, width / next.width]
  const chance = scatter.mostOf([
    [before, one.from],
    [before + after, one.to],
    [after, next.to],
  ])
  return next.height * after - one.height * before > Math.max(BEND, chance)
}
