import type { StoreError } from '@unikv/core'
import { z } from 'zod'
import { invalidArgument } from '../../options/invalid.ts'
import type { Plain } from '../../options/option.ts'

/** A figure that a threshold bounds; a number is a percentile. */
export type Metric = number | 'mean' | 'min' | 'max' | 'rate' | 'errors' | 'misses' | 'stale' | 'wrong'

const comparisons = ['>', '>=', '<', '<='] as const

/** The schema of thresholds in a configuration. */
export const thresholdSchema = z.strictObject({
  /** As it was written. */
  text: z.string(),
  /** `null`: all operations together. */
  operation: z.string().nullable(),
  /** Response times count from the intended start of a rate; without a rate they are service times. */
  times: z.enum(['response', 'service']),
  metric: z.union([
    z.number().min(0).max(100),
    z.enum(['mean', 'min', 'max', 'rate', 'errors', 'misses', 'stale', 'wrong']),
  ]),
  /** The run fails if its figure is so … */
  comparison: z.enum(comparisons),
  /** … compared with this: milliseconds, operations a second, a count, or a share from 0 to 1. */
  bound: z.number().min(0),
  unit: z.enum(['ms', 'per-second', 'count', 'share']),
})

/** A bound of a figure: a run that goes beyond it fails. */
export type Threshold = Plain<typeof thresholdSchema>

const form =
  /^\s*(?:([A-Za-z][\w-]*)\.)??(?:(service|response)\.)?(p\d+(?:\.\d+)?|[a-z]+)\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|%|\/s)?\s*$/

const perMs: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000 }
const countable: ReadonlySet<unknown> = new Set(['errors', 'misses', 'stale', 'wrong'])
const metrics: ReadonlySet<string> = new Set([
  'mean',
  'min',
  'max',
  'rate',
  'errors',
  'misses',
  'stale',
  'wrong',
])

/**
 * A threshold from text such as `read.p99 > 10ms`, `errors > 0.1%`, `rate < 1000` or `update.service.mean > 2ms`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with what is wrong
 */
export function parseThreshold(text: string): Threshold {
  const match = form.exec(text)
  if (match === null)
    throw wrong(
      text,
      'write a figure, a comparison and a bound of 0 or more, like read.p99 > 10ms, errors <= 0.1% or rate < 1000',
    )
  const [, operation, times = 'response', name = '', comparison = '', amount = '', unit] = match
  const metric = metricOf(text, name)
  if (metric === 'wrong' && operation !== undefined)
    throw wrong(text, 'wrong values are counted over all operations; write it like wrong > 0')
  return {
    text: text.trim(),
    operation: operation ?? null,
    times: times as Threshold['times'],
    metric,
    comparison: comparison as Threshold['comparison'],
    ...boundOf(text, metric, Number(amount), unit),
  }
}

function metricOf(text: string, name: string): Metric {
  if (metrics.has(name)) return name as Metric
  const percent = /^p(\d+(?:\.\d+)?)$/.exec(name)?.[1]
  if (percent !== undefined && Number(percent) < 100) return Number(percent)
  throw wrong(text, `the figure '${name}' is unknown; known are p50 to p99.99, ${[...metrics].join(', ')}`)
}

function boundOf(
  text: string,
  metric: Metric,
  amount: number,
  unit: string | undefined,
): Pick<Threshold, 'bound' | 'unit'> {
  if (countable.has(metric)) {
    if (unit === '%' && amount > 100) throw wrong(text, 'a share is at most 100 %')
    if (unit === '%') return { bound: amount / 100, unit: 'share' }
    if (unit === undefined) return { bound: amount, unit: 'count' }
    throw wrong(text, `${metric === 'wrong' ? 'wrong values' : String(metric)} are counted, or a share in %`)
  }
  if (metric === 'rate') {
    if (unit === undefined || unit === '/s') return { bound: amount, unit: 'per-second' }
    throw wrong(text, 'a rate is in operations a second')
  }
  const factor = unit === undefined ? undefined : perMs[unit]
  if (factor === undefined) throw wrong(text, 'a time needs a unit: us, ms or s')
  return { bound: amount * factor, unit: 'ms' }
}

function wrong(text: string, why: string): StoreError {
  return invalidArgument(`The threshold '${text}' cannot be used: ${why}.`)
}

/** The parts of a workload that thresholds may be about. */
interface ThresholdSubject {
  readonly operations: readonly string[]
  /** Whether reads are checked. */
  readonly hasChecks: boolean
  /** Whether an operation tells stale reads. */
  readonly tellsStale: boolean
}

/**
 * @throws {StoreError} `INVALID_ARGUMENT` for a threshold about something that the workload does not have
 */
export function checkThresholds(
  thresholds: readonly Threshold[],
  { operations, hasChecks, tellsStale }: ThresholdSubject,
): void {
  const idle = thresholds.find(({ operation }) => operation !== null && !operations.includes(operation))
  if (idle !== undefined)
    throw misplaced(
      idle,
      `is about an operation that the workload does not have; it has ${operations.join(', ')}`,
    )
  const blind = thresholds.find(({ metric }) => metric === 'stale')
  if (blind !== undefined && !tellsStale)
    throw misplaced(blind, 'needs an operation of your own with `tellsStale: true`, such as those of ehr()')
  const unchecked = thresholds.find(({ metric }) => metric === 'wrong')
  if (unchecked !== undefined && !hasChecks)
    throw misplaced(unchecked, 'needs reads that are checked (--check)')
}

function misplaced({ text }: Threshold, why: string): StoreError {
  return invalidArgument(`The threshold '${text}' ${why}.`)
}
