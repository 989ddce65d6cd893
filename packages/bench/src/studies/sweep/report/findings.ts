import { machineFindings } from '../../../driven/report/findings.ts'
import type { RunBesides } from '../../../driven/result.ts'
import { formatCallers, formatExact, formatMs, listed } from '../../../report/words.ts'
import type { UslFit } from '../../../statistics/usl/usl-fit.ts'
import type { Axis } from '../axis.ts'
import type { Curve, CurvePoint, SweepResult } from '../config.ts'
import { isMissing, isRefused } from '../curves.ts'
import { highest, isLevel, isNoisy, type Law, lawOf } from '../law.ts'
import { curveText, placeText, rateText } from './law-table.ts'

/** The findings of a result, in sentences. */
export function findings({ config, curves }: SweepResult): readonly string[] {
  return [
    ...curves.flatMap((curve) => [
      mostText(config.over, curve),
      ...lawText(lawOf(curve)).map((text) => `${curveText(curve)}: ${text}`),
      ...failures(config.over, curve),
    ]),
    ...machineFindings(besidesOf(curves)),
  ]
}

const shapes: Readonly<Record<UslFit['shape'], string>> = {
  linear: 'throughput rises with every caller',
  saturating: 'throughput levels off',
  falling: 'throughput falls again after its highest point',
  broken: 'throughput jumps between neighbors, so the law of scalability does not describe it',
}

function mostText(axis: Axis, curve: Curve): string {
  const best = highest(curve.points)
  const { p99Ms } = best.latency
  const p99 = p99Ms === null ? '' : ` with a p99 of ${formatMs(p99Ms)}`
  const shape = shapeText(curve)
  return `${curveText(curve)}: ${shape}most was ${rateText(best.rate.mean)} at ${placeText(axis, best.value)}${p99}.`
}

/** The shape of a curve before its highest point; nothing where the runs scatter too much for one. */
function shapeText(curve: Curve): string {
  const { fit, points } = curve
  if (fit === null || isNoisy(curve)) return ''
  const isRising = fit.shape === 'saturating' && !isLevel(points.filter((point) => !isMissing(point)))
  return `${isRising ? 'throughput rises by less with each caller' : shapes[fit.shape]}; `
}

/** All runs of curves, as far as the work of the machine is known. */
export function besidesOf(curves: readonly Curve[]): readonly RunBesides[] {
  return curves.flatMap(({ points }) => points.flatMap(({ runs = [] }) => runs))
}

/** The law of scalability in a sentence. */
function lawText(law: Law | null): readonly string[] {
  if (law === null) return []
  if (law.tells === 'nothing') return [`no peak can be told: ${law.why}.`]
  if (law.tells === 'limit')
    return [`by the law of scalability no number of callers exceeds ${rateText(law.x)} (extrapolated).`]
  const note = law.isExtrapolated ? ' (extrapolated: beyond what was measured)' : ''
  const [low, high] = law.between?.map((n) => formatExact(Math.round(n))) ?? []
  const interval = low === high ? '' : ` (95 % interval: ${low} to ${high})`
  return [
    `by the law of scalability the peak is ${rateText(law.x)} at ${formatCallers(law.n)}${interval}${note}.`,
  ]
}

function failures(axis: Axis, curve: Curve): readonly string[] {
  const refused = curve.points.flatMap(({ value, refused: why }) =>
    why === undefined ? [] : [`${curveText(curve)}: no figure at ${placeText(axis, value)}. ${why}`],
  )
  return [...refused, ...failedOperations(axis, curve)]
}

function failedOperations(axis: Axis, curve: Curve): readonly string[] {
  const failed = curve.points.filter((point) => point.errors > 0 && !isRefused(point))
  const [first] = failed as [CurvePoint | undefined]
  if (first === undefined) return []
  const count = failed.reduce((sum, { errors }) => sum + errors, 0)
  const missing = failed.filter(isMissing).map(({ value }) => placeText(axis, value))
  return [
    ...(missing.length === 0
      ? []
      : [`${curveText(curve)}: nothing succeeded at ${listed(missing)}, so the curve has no value there.`]),
    `${curveText(curve)}: ${count.toLocaleString('en-US')} operations failed, the first at ${placeText(axis, first.value)} with: ${first.firstError}`,
  ]
}
