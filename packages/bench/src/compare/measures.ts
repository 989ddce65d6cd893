import type { Row, Unit } from '../cube/row.ts'
import { formatCount, formatExact, formatMs, formatTimes, percent } from '../report/words.ts'

/** A figure of a result that can be compared: of one store at one place of its dimensions. */
export interface ResultFigure {
  readonly store: string
  readonly dimensions: Row['dimensions']
  /** Such as `rate`, `mean`, `p99`, `misses`, `stored`. */
  readonly figure: string
  readonly unit: Unit
  readonly better: 'higher' | 'lower'
  /** Whether it is told by few operations, so that it scatters more than a mean. */
  readonly isTail: boolean
  /** One of each run; empty if the result has it of all runs only. */
  readonly runs: readonly number[]
  /** The same of the whole result; percentiles are of all runs together. */
  readonly whole: number
}

/** A place in words: `read`, `c · concurrency 8`, and `all` where it has no dimensions. */
export function placeText(
  { store, dimensions }: Pick<ResultFigure, 'store' | 'dimensions'>,
  hasStores: boolean,
): string {
  const parts = Object.entries(dimensions).map(([name, value]) =>
    typeof value === 'number' ? `${name} ${formatExact(value)}` : value,
  )
  const all = [...(hasStores ? [store] : []), ...parts]
  return all.length === 0 ? 'all' : all.join(' · ')
}

/** Whether figures are of several stores. */
export function hasStores(figures: readonly Pick<ResultFigure, 'store'>[]): boolean {
  return new Set(figures.map(({ store }) => store)).size > 1
}

type Words = readonly [better: string, worse: string]

/** How a sentence calls a figure, and what is better or worse. */
export function wordsOf({ figure, unit, better }: Pick<ResultFigure, 'figure' | 'unit' | 'better'>): {
  readonly figure: string
  readonly words: Words
} {
  const isTime = unit === 'ms' || unit === '1/s'
  const words: Words = isTime
    ? ['faster', 'slower']
    : better === 'lower'
      ? ['lower', 'higher']
      : ['higher', 'lower']
  return { figure: figure === 'mean' ? 'time' : figure, words }
}

/** A value in its unit. */
export function valueText(value: number, unit: ResultFigure['unit']): string {
  if (unit === 'ms') return value < 0 ? `−${formatMs(-value)}` : formatMs(value)
  if (unit === 'share') return `${percent(value)} %`
  if (unit === 'times') return formatTimes(value)
  return unit === 'bytes' ? `${formatCount(value)} B` : formatCount(value)
}

/** The column of a figure. */
export function figureText({ figure, unit }: Pick<ResultFigure, 'figure' | 'unit'>): string {
  return figure === 'rate' && unit === '1/s' ? 'ops/s' : figure
}

/** A ratio as a change: `+9.8 %`, `−12 %`, `×3.1`. */
export function changeText(ratio: number): string {
  if (!Number.isFinite(ratio)) return '–'
  if (ratio >= 1.995) return `×${formatTimes(ratio)}`
  const share = Math.abs(ratio - 1) * 100
  const text = share >= 99.5 || share < 0.05 ? share.toFixed(0) : share.toFixed(1)
  return `${ratio < 1 ? '−' : '+'}${text} %`
}

/** Measures that are compared, and which way is better. Others say how much was done, and not how well. */
const directions: Readonly<Record<string, 'higher' | 'lower'>> = {
  rate: 'higher',
  service: 'lower',
  response: 'lower',
  added: 'lower',
  elapsed: 'lower',
  moved: 'lower',
  stored: 'lower',
  'round trips': 'lower',
  ratio: 'higher',
  'seen by all': 'lower',
}

/** Figures of distributions that are compared: the least and the largest value are of one operation each. */
const statistics: ReadonlySet<string | undefined> = new Set([
  undefined,
  'mean',
  'median',
  'p50',
  'p95',
  'p99',
])

/** Which way is better; `undefined`: it is not compared. */
export function directionOf({ measure, statistic, run }: Row): 'higher' | 'lower' | undefined {
  if (!statistics.has(statistic)) return undefined
  // The time of a run was given, or follows from its rate; that of a load was measured.
  return measure === 'elapsed' && run !== null ? undefined : directions[measure]
}

/** Whether a figure is told by few operations. */
export function isTail(figure: string): boolean {
  return /\bp9\d/.test(figure)
}
