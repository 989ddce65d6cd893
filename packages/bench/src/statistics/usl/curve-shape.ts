import { isBroken } from './is-broken.ts'
import { type Group, groupsByN, Scatter } from './scatter.ts'
import type { UslPoint } from './usl-law.ts'

/**
 * The form of a curve of throughput over callers. `linear`: the last point still has 80 % of what the first callers each do;
 * `saturating`: it flattens; `falling`: it ends at least 5 % below its highest point; `broken`: throughput jumps between two
 * neighbours in a way that no smooth law explains, or ends altogether. Where points have several runs, falls and jumps must be larger
 * than chance makes them.
 */
export type CurveShape = 'linear' | 'saturating' | 'falling' | 'broken'

const LINEAR_SHARE = 0.8
const FALLEN_SHARE = 0.95

/** The shape of measured points, by the law that fits them. */
export function curveShape(points: readonly UslPoint[], law: (n: number) => number): CurveShape {
  const groups = groupsByN(points)
  const scatter = new Scatter(groups)
  if (isBroken(groups, law, scatter)) return 'broken'
  const [first, last] = [groups[0] as Group, groups.at(-1) as Group]
  if (law(last.n) / last.n >= LINEAR_SHARE * (law(first.n) / first.n)) return 'linear'
  return hasFallen(groups, scatter) && hasFallenAtEnd(groups.map(({ n }) => law(n)))
    ? 'falling'
    : 'saturating'
}

function hasFallen(groups: readonly Group[], scatter: Scatter): boolean {
  const last = groups.at(-1) as Group
  const best = groups.reduce((most, one) => (one.x > most.x ? one : most))
  const chance = scatter.mostOf([
    [1, best],
    [-1, last],
  ])
  return hasFallenAtEnd(groups.map(({ x }) => x)) && Math.log(best.x / last.x) > chance
}

function hasFallenAtEnd(xs: readonly number[]): boolean {
  return (xs.at(-1) as number) <= FALLEN_SHARE * Math.max(...xs)
}
