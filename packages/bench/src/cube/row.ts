import { z } from 'zod'
import type { Plain } from '../options/option.ts'
import { histogramJsonSchema } from '../statistics/histograms.ts'

/** The unit of a value. Times in histograms are nanoseconds, and milliseconds everywhere else. */
export type Unit = 'ms' | 'ns' | '1/s' | 'bytes' | 'count' | 'share' | 'times'

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
export const rowSchema = z.strictObject({
  /** Name of the store in the run. */
  store: z.string(),
  /** Such as `{ operation: 'read', callers: 8 }`. A dimension that says nothing here is left out. */
  dimensions: z.record(z.string(), z.union([z.string(), z.number()])),
  /** Number of the run, from 1; `null`: it is of no single run. */
  run: z.int().min(1).nullable(),
  /** Such as `service`: the time of operations from start to end. */
  measure: z.string().min(1),
  unit: z.enum(['ms', 'ns', '1/s', 'bytes', 'count', 'share', 'times']),
  /** `success`, another outcome such as `miss`, or the code of an error. */
  outcome: z.string().min(1),
  /** Which figure of a distribution a number is, such as `mean` or `p99`, where the distribution itself was not kept. */
  statistic: z.string().min(1).optional(),
  /** One number, or a distribution. */
  value: z.union([z.number(), histogramJsonSchema]),
})

/** One measured figure, with all that tells it from others: the form of the results of every study (record 0107). */
export type Row = Plain<typeof rowSchema>

/** `p99Ms` is `p99` where the unit stands beside it. */
export function withoutUnits(
  named: Readonly<Record<string, number | null>>,
): Readonly<Record<string, number | null>> {
  return Object.fromEntries(Object.entries(named).map(([name, ms]) => [name.replace(/Ms$/, ''), ms]))
}
