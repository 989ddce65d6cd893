import { percent } from '../report/words/percent.ts'
import { formatCount, formatExact, formatMs, formatTimes } from '../report/words/units.ts'
import type { ResultFigure } from './figures.ts'

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
