import { formatCount, formatMs, noIntervalText } from '../report/words.ts'
import type { Cell, Estimate, Place } from './cell.ts'
import type { Column } from './view.ts'

/** Changes to the usual column: the place beside the cell that its rows are of, and its names. */
type Given = Pick<Partial<Column>, 'head' | 'key' | 'hasInterval'> & { readonly at?: Place }

/** A rate, the mean of its runs, and half of its 95 % interval. */
export function rate({
  measure = 'rate',
  ...given
}: Given & { readonly measure?: string } = {}): readonly [Column, Column] {
  const of = (cell: Cell): Estimate => cell.at(given.at ?? {}).mean(measure)
  const { head = 'ops/s', key = 'per_s' } = given
  return [
    { head, key, hasInterval: true, of },
    { head: '± 95 %', text: (cell) => halfWidthText(of(cell)) },
  ]
}

/** The mean of the means of runs, in milliseconds. */
export function meanTime(measure: string, { at = {}, ...given }: Given = {}): Column {
  const of = (cell: Cell): Estimate => cell.at(at).mean(measure, 'mean')
  return { head: 'mean', key: 'mean_ms', of, format: formatMs, ...given }
}

/** A percentile of all runs together, in milliseconds. */
export function percentile(measure: string, statistic: string, { at = {}, ...given }: Given = {}): Column {
  const of = (cell: Cell): number | null => cell.at(at).figure(measure, statistic)
  return { head: statistic, key: `${statistic}_ms`, of, format: formatMs, ...given }
}

/** The sum of counts of some outcomes; no column where it is 0 throughout. */
export function count(head: string, measure: string, isCounted?: (outcome: string) => boolean): Column {
  const of = (cell: Cell): number => cell.sum(measure, isCounted)
  const text = (cell: Cell): string => (of(cell) === 0 ? '' : of(cell).toLocaleString('en-US'))
  return { head, isOptional: true, text }
}

/** A cell in words; a dash where nothing was measured. */
export function cellText({ of, format = formatCount, text }: Column, cell: Cell): string {
  if (text !== undefined) return cell.isEmpty ? '–' : text(cell)
  const { value } = estimateOf(of?.(cell) ?? null)
  return value === null ? '–' : format(value)
}

/** A number is an estimate without an interval. */
export function estimateOf(found: Estimate | number | null): Estimate {
  return typeof found === 'number' || found === null ? { value: found } : found
}

/** Half of an interval, or why there is none. */
export function halfWidthText(
  { value, halfWidth = null, runs = 0 }: Estimate,
  format: (value: number) => string = formatCount,
): string {
  if (value === null) return '–'
  return halfWidth === null || halfWidth >= value ? noIntervalText(runs) : format(halfWidth)
}
