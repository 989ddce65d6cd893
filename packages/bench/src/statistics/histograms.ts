import { type HistogramJson, histogramOf } from '@unikv/core/histogram'
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
