import type { ReportTable } from '../../../report/report-table.ts'
import { percent } from '../../../report/words/percent.ts'
import { formatCount, formatExact, formatMs } from '../../../report/words/units.ts'
import type { UslFit } from '../../../statistics/usl/usl-fit.ts'
import { axisWords } from '../axis.ts'
import { isMissing } from '../is-missing.ts'
import { type Law, lawOf } from '../law.ts'
import type { Curve, CurvePoint, SweepResult } from '../result.ts'
import { loadsIn, valueText } from './words.ts'

/** A table for each load, then the law of each curve. */
export function summaryTables(result: SweepResult): readonly ReportTable[] {
  const { curves } = result
  const fitted = curves.filter(({ fit }) => fit !== null)
  return [
    ...loadsIn(result).map((load) => pointsTable(result, load)),
    ...(fitted.length === 0 ? [] : [lawTable(fitted)]),
  ]
}

function pointsTable({ config, curves }: SweepResult, load: string): ReportTable {
  const own = curves.filter((curve) => curve.load === load)
  const hasFailures = own.some(({ points }) => points.some(({ errors }) => errors > 0))
  return {
    title: `${load}: throughput and service times`,
    head: [
      'store',
      axisWords[config.over.field],
      'ops/s',
      '± 95 %',
      'mean',
      'p50',
      'p95',
      'p99',
      ...(hasFailures ? ['failed'] : []),
    ],
    names: 2,
    rows: own.flatMap(({ store, points }) =>
      points.map((point) => [
        store,
        valueText(config.over, point.value),
        ...cells(point),
        ...(hasFailures ? [String(point.errors)] : []),
      ]),
    ),
  }
}

function cells(point: CurvePoint): string[] {
  const { rate, latency } = point
  const { mean, halfWidth } = rate
  const times = [latency.meanMs.mean, latency.p50Ms, latency.p95Ms, latency.p99Ms]
  return [
    isMissing(point) ? 'missing' : formatCount(mean),
    halfWidth === null || halfWidth >= mean ? '–' : formatCount(halfWidth),
    ...times.map((ms) => (ms === null || mean === 0 ? '–' : formatMs(ms))),
  ]
}

function lawTable(curves: readonly Curve[]): ReportTable {
  return {
    title: 'Universal Scalability Law; ± is the standard error, * lies beyond the measured callers',
    head: ['store', 'load', 'shape', 'peak at', 'peak ops/s', 'one caller', 'R²', 'contention', 'coherence'],
    names: 2,
    rows: curves.map((curve) => [curve.store, curve.load, ...lawCells(curve.fit as UslFit, lawOf(curve))]),
  }
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
