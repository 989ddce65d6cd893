import type { Histogram } from '@unikv/core/histogram'

/** The figures of one kind of operation. */
export interface YcsbOperationSummary {
  /** Such as `read` or `read-modify-write`. */
  readonly name: string
  /** Operations that ended, failed ones included. */
  readonly count: number
  /** Service times in nanoseconds of the operations that did not fail. */
  readonly histogram: Histogram
  /** Reads that found nothing. */
  readonly misses: number
  readonly errors: number
}

/** The figures of a run. */
export interface YcsbSummary {
  readonly elapsedMs: number
  readonly operations: readonly YcsbOperationSummary[]
}

/**
 * A result as the text that YCSB prints, for tools that read it: `[READ], AverageLatency(us), 412.5`. Latencies are in
 * whole microseconds but for the average.
 *
 * @param percentiles Those of `hdrhistogram.percentiles`
 */
export function ycsbText(summary: YcsbSummary, percentiles: readonly number[] = [50, 95, 99]): string {
  const count = summary.operations.reduce((sum, operation) => sum + operation.count, 0)
  const lines = [
    ['OVERALL', 'RunTime(ms)', Math.round(summary.elapsedMs)],
    ['OVERALL', 'Throughput(ops/sec)', decimal((count / summary.elapsedMs) * 1_000)],
    ...summary.operations.flatMap((operation) => operationLines(operation, percentiles)),
  ]
  return lines.map(([name, metric, value]) => `[${name}], ${metric}, ${value}\n`).join('')
}

type Line = readonly [name: string, metric: string, value: number | string]

function operationLines(operation: YcsbOperationSummary, percentiles: readonly number[]): Line[] {
  const { histogram, count, misses, errors } = operation
  const name = operation.name.toUpperCase()
  const latencies: Line[] = [
    [name, 'AverageLatency(us)', decimal(histogram.mean / 1_000)],
    [name, 'MinLatency(us)', Math.floor(histogram.min / 1_000)],
    [name, 'MaxLatency(us)', Math.floor(histogram.max / 1_000)],
    ...percentiles.map((percent): Line => {
      const value = Math.floor(histogram.percentile(percent) / 1_000)
      return [name, `${ordinal(percent)}PercentileLatency(us)`, value]
    }),
  ]
  const outcomes: Line[] = [
    [name, 'Return=OK', count - misses - errors],
    [name, 'Return=NOT_FOUND', misses],
    [name, 'Return=ERROR', errors],
  ]
  return [
    [name, 'Operations', histogram.count],
    ...(histogram.count > 0 ? latencies : []),
    ...outcomes.filter(([, , ended]) => ended !== 0),
  ]
}

/** At least one decimal, as Java writes a `double`. */
function decimal(value: number): string {
  const rounded = Number(value.toFixed(3))
  return Number.isInteger(rounded) ? rounded.toFixed(1) : String(rounded)
}

/** `50th`, `91st`; YCSB writes fractions bare: `99.9`. */
function ordinal(percent: number): string {
  if (!Number.isInteger(percent)) return String(percent)
  const isTeen = percent >= 11 && percent <= 13
  return percent + (isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][percent % 10] ?? 'th'))
}
