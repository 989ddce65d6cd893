import type { Latency, OperationResult } from '../../driven/result.ts'
import type { Threshold } from '../../driven/thresholds/threshold.ts'
import type { Curve, CurvePoint } from '../sweep/result.ts'

const percentiles: Readonly<Record<number, keyof Latency>> = {
  50: 'p50Ms',
  90: 'p90Ms',
  95: 'p95Ms',
  99: 'p99Ms',
  99.9: 'p999Ms',
  99.99: 'p9999Ms',
}

/** The percentiles that a measure can be about. */
export const knownPercentiles: readonly number[] = Object.keys(percentiles)
  .map(Number)
  .sort((a, b) => a - b)

/** The figure of a measure at a number of callers; `null`: too few operations succeeded to tell. */
export function figureAt({ points }: Curve, callers: number, measure: Threshold): number | null {
  const point = points.find(({ value }) => value === callers)
  return point === undefined ? null : figureOf(point, measure)
}

function figureOf(point: CurvePoint, { operation, metric, unit }: Threshold): number | null {
  const own = point.operations.filter(({ name }) => operation === null || name === operation)
  const ended = sum(own, ({ count, errors }) => count + errors)
  if (metric === 'errors' || metric === 'misses') {
    const found = sum(own, ({ count, errors, outcome }) =>
      metric === 'errors' ? errors : outcome === 'miss' ? count : 0,
    )
    // Where nothing succeeds nothing can be missed, and that says nothing.
    if (metric === 'misses' && ended > 0 && sum(own, ({ count }) => count) === 0) return null
    if (unit === 'count') return found
    return ended === 0 ? null : found / ended
  }
  if (metric === 'rate') return operation === null ? point.rate.mean : sum(own, ({ rate }) => rate.mean)
  const times = operation === null ? point.latency : own.find(({ outcome }) => outcome === null)?.service
  return times === undefined || ended === 0 ? null : timeOf(times, metric)
}

function timeOf(times: Latency, metric: Threshold['metric']): number | null {
  if (metric === 'mean') return times.meanMs.runs.length === 0 ? null : times.meanMs.mean
  if (metric === 'min') return times.minMs
  if (metric === 'max') return times.maxMs
  const field = percentiles[metric as number]
  return field === undefined ? null : (times[field] as number | null)
}

function sum(operations: readonly OperationResult[], of: (one: OperationResult) => number): number {
  return operations.reduce((total, one) => total + of(one), 0)
}
