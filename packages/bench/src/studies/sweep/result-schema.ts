import { z } from 'zod'
import { averagedSchema, besidesShape, latencySchema, operationSchema } from '../../driven/result-schema.ts'
import type { SweepBody } from './result.ts'

const number = z.number()
const figure = number.nullable()

const range = z.tuple([number, number])

const fit = z.strictObject({
  alpha: number,
  beta: number,
  gamma: number,
  standardErrors: z.strictObject({ alpha: figure, beta: figure, gamma: figure }),
  residualDeviation: figure,
  degreesOfFreedom: number,
  rSquared: number,
  peakN: figure,
  peakX: figure,
  peakInterval: z.strictObject({ n: range, x: range }).nullable().optional(),
  limit: figure,
  optimumN: figure,
  optimumX: figure,
  isExtrapolated: z.boolean(),
  shape: z.enum(['linear', 'saturating', 'falling', 'broken']),
})

const point = z.strictObject({
  value: number,
  rate: averagedSchema,
  latency: latencySchema,
  operations: z.array(operationSchema),
  errors: z.int().min(0),
  firstError: z.string().nullable(),
  runs: z.array(z.strictObject(besidesShape)).optional(),
  invalid: z.array(z.string()),
})

/** The fields of a result that are its own. */
export const sweepBodyShape: { readonly [K in keyof SweepBody]: z.ZodType<SweepBody[K]> } = {
  curves: z.array(
    z.strictObject({
      store: z.string(),
      load: z.string(),
      points: z.array(point).min(1),
      fit: fit.nullable(),
    }),
  ),
}
