import { median } from '../../statistics/median.ts'
import type { FigureAxis, FigureSeries } from '../figure.ts'
import type { Value } from './axes.ts'

/** A step so many times as wide as most others, over rows without a value, is a gap. */
const wide = 1.5

/** Indexes of values with a gap before them: rows in between have no value, as where every operation failed. */
export function gapsOf(
  { table }: FigureSeries,
  { scale }: FigureAxis,
  values: readonly Value[],
): ReadonlySet<number> {
  const places = values.map(([at]) => (scale === 'log' ? Math.log(at) : at))
  const steps = places.slice(1).map((place, index) => place - (places[index] as number))
  if (steps.length < 2) return new Set()
  const usual = median(steps)
  const rows = table.rows.map(([at]) => at)
  // Series that share a table without sharing its rows, such as monitors, have empty rows everywhere, and even steps.
  const isGap = (index: number): boolean => {
    const [from, to] = [values[index], values[index + 1]] as [Value, Value]
    const isEmpty = rows.some((at) => typeof at === 'number' && at > from[0] && at < to[0])
    return isEmpty && (steps[index] as number) > wide * usual
  }
  return new Set(steps.flatMap((_step, index) => (isGap(index) ? [index + 1] : [])))
}
