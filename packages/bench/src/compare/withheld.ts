import { percent } from '../report/words/percent.ts'
import type { ComparedFigure } from './compared.ts'

/**
 * A store that loses its records answers sooner. So nothing is called better where the share of operations that found no record, or that failed,
 * has risen, at the same place or at a part of it.
 */
export function withheld(figures: readonly ComparedFigure[]): readonly ComparedFigure[] {
  const risen = figures.filter(({ unit, comparison }) => unit === 'share' && comparison.verdict === 'slower')
  return figures.map((one): ComparedFigure => {
    const cause =
      one.comparison.verdict === 'faster' ? risen.find((share) => isBeside(share, one)) : undefined
    if (cause === undefined) return one
    const [before, after] = cause.comparison.means
    const sentence = `${one.comparison.sentence.replace(/\.$/, '')}; that is not called better, as its ${cause.figure} rose from ${percent(before)} % to ${percent(after)} %.`
    return { ...one, isWithheld: true, comparison: { ...one.comparison, verdict: 'unclear', sentence } }
  })
}

/** Whether a place is the other one, or a part of it. */
function isBeside(a: ComparedFigure, b: ComparedFigure): boolean {
  if (a.store !== b.store) return false
  const isWithin = (one: ComparedFigure, other: ComparedFigure): boolean =>
    Object.entries(one.dimensions).every(([name, value]) => other.dimensions[name] === value)
  return isWithin(a, b) || isWithin(b, a)
}
