import { type Histogram, type HistogramJson, histogramOf } from '@unikv/core/histogram'
import { z } from 'zod'

const whole = z.int().min(0)

const shape = z.strictObject({
  precisionBits: z.int().min(1).max(16),
  highest: z.number().positive(),
  count: whole,
  sum: z.number().min(0),
  min: z.number().min(0).nullable(),
  max: z.number().min(0).nullable(),
  overflows: whole,
  buckets: z.array(z.tuple([whole, z.int().min(1)])),
})

/** The JSON of a histogram; it rejects what contradicts itself, so that `histogramOf` takes all that it accepts. */
export const histogramJsonSchema: z.ZodType<HistogramJson> = shape.superRefine((json, context) => {
  try {
    histogramOf(json)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
  }
})

/** Distributions together; `undefined` of none. */
export function mergedHistogram(parts: readonly HistogramJson[]): Histogram | undefined {
  const [first, ...others] = parts.map(histogramOf)
  for (const other of others) first?.merge(other)
  return first
}

/** A percentile of nanoseconds in milliseconds; `null` unless ten values lie beyond it. */
export function percentileMs(times: Histogram, percent: number): number | null {
  return times.count < 10 / (1 - percent / 100) - 1e-6 ? null : times.percentile(percent) / 1e6
}
