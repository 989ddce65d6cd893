import { formatSize } from '../../../data/size-list.ts'
import type { ReportTable } from '../../../report/report-table.ts'
import { formatCount, formatExact, percent } from '../../../report/words.ts'
import type { UslFit } from '../../../statistics/usl/usl-fit.ts'
import { type Axis, axisWords } from '../axis.ts'
import type { Curve, SweepResult } from '../config.ts'
import { type Law, lawOf } from '../law.ts'

/** A value of the axis: `1 kB`, `95 %`, `1,000`. */
export function valueText({ field }: Axis, value: number): string {
  if (field === 'value-size') return formatSize(value)
  return field === 'read-share' ? `${value} %` : value.toLocaleString('en-US')
}

/** A value and what it counts: `100 callers`, `values of 1 kB`. */
export function placeText(axis: Axis, value: number): string {
  const text = valueText(axis, value)
  if (axis.field === 'value-size') return `values of ${text}`
  if (axis.field === 'read-share') return `${text} reads`
  const words = axisWords[axis.field]
  return `${text} ${value === 1 ? words.replace('s', '') : words}`
}

/** A curve: `redis, read`. */
export function curveText({ store, load }: Pick<Curve, 'store' | 'load'>): string {
  return `${store}, ${load}`
}

/** Operations a second. */
export function rateText(rate: number): string {
  return `${formatCount(rate)}/s`
}

/** The law of each curve that has one. */
export function lawTable({ curves }: SweepResult): readonly ReportTable[] {
  const fitted = curves.filter(({ fit }) => fit !== null)
  if (fitted.length === 0) return []
  const table = {
    title: 'Universal Scalability Law; ± is the standard error, * lies beyond the measured callers',
    head: ['store', 'load', 'shape', 'peak at', 'peak ops/s', 'one caller', 'R²', 'contention', 'coherence'],
    names: 2,
    rows: fitted.map((curve) => [curve.store, curve.load, ...lawCells(curve.fit as UslFit, lawOf(curve))]),
  }
  return [table]
}

function lawCells(
  { alpha, beta, gamma, standardErrors, rSquared, shape }: UslFit,
  law: Law | null,
): string[] {
  return [
    shape,
    ...peakCells(law),
    withError(gamma, standardErrors.gamma, formatCount),
    rSquared.toFixed(3),
    withError(alpha, standardErrors.alpha, (share) => `${percent(share)} %`),
    withError(beta, standardErrors.beta, (value) => (value === 0 ? '0' : value.toExponential(1))),
  ]
}

/** A peak that the runs do not bear out is not shown. */
function peakCells(law: Law | null): readonly [at: string, rate: string] {
  if (law?.tells === 'limit') return ['none', '–']
  if (law?.tells !== 'peak') return ['–', '–']
  return [`${formatExact(Math.round(law.n))}${law.isExtrapolated ? ' *' : ''}`, formatCount(law.x)]
}

function withError(value: number, error: number | null, format: (value: number) => string): string {
  return error === null ? format(value) : `${format(value)} ± ${format(error)}`
}
