import type { HistogramJson } from '@unikv/core/histogram'
import { z } from 'zod'
import { histogramJsonSchema } from '../statistics/histogram-json.ts'

/** The unit of a value. Times in histograms are nanoseconds, and milliseconds everywhere else. */
export type Unit = 'ms' | 'ns' | '1/s' | 'bytes' | 'count' | 'share' | 'times'

/** One measured figure, with all that tells it from others: the form of the results of every study (record 0107). */
export interface Row {
  /** Name of the store in the run. */
  readonly store: string
  /** Such as `{ operation: 'read', callers: 8 }`. A dimension that says nothing here is left out. */
  readonly dimensions: Readonly<Record<string, string | number>>
  /** Number of the run, from 1; `null`: it is of no single run. */
  readonly run: number | null
  /** Such as `service`: the time of operations from start to end. */
  readonly measure: string
  readonly unit: Unit
  /** `success`, another outcome such as `miss`, or the code of an error. */
  readonly outcome: string
  /** Which figure of a distribution a number is, such as `mean` or `p99`, where the distribution itself was not kept. */
  readonly statistic?: string | undefined
  /** One number, or a distribution. */
  readonly value: number | HistogramJson
}

/** Rows of one place: what they have in common is given once. */
export type OwnRow = Pick<Row, 'measure' | 'unit' | 'value'> & Partial<Row>

/** Complete rows; without a run they are of no single one, and without an outcome of a success. */
export function rowsAt(place: Pick<Row, 'store' | 'dimensions'>, own: readonly OwnRow[]): readonly Row[] {
  return own.map((one) => ({ run: null, outcome: 'success', ...place, ...one }))
}

/** One figure of each run. */
export function eachRun(
  measure: string,
  unit: Unit,
  values: readonly number[],
  statistic?: string,
): readonly OwnRow[] {
  return values.map((value, i) => ({ measure, unit, value, run: i + 1, ...(statistic && { statistic }) }))
}

/** Figures of a distribution over all runs; those that too few values tell are `null` and left out. */
export function figures(
  measure: string,
  unit: Unit,
  named: Readonly<Record<string, number | null>>,
): readonly OwnRow[] {
  return Object.entries(named).flatMap(([statistic, value]) =>
    value === null ? [] : [{ measure, unit, statistic, value }],
  )
}

/** Checks a row that is read back. */
export const rowSchema: z.ZodType<Row> = z.strictObject({
  store: z.string(),
  dimensions: z.record(z.string(), z.union([z.string(), z.number()])),
  run: z.int().min(1).nullable(),
  measure: z.string().min(1),
  unit: z.enum(['ms', 'ns', '1/s', 'bytes', 'count', 'share', 'times']),
  outcome: z.string().min(1),
  statistic: z.string().min(1).optional(),
  value: z.union([z.number(), histogramJsonSchema]),
})

/** `p99Ms` is `p99` where the unit stands beside it. */
export function withoutUnits(
  named: Readonly<Record<string, number | null>>,
): Readonly<Record<string, number | null>> {
  return Object.fromEntries(Object.entries(named).map(([name, ms]) => [name.replace(/Ms$/, ''), ms]))
}
