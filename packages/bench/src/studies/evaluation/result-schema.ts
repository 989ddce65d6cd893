import { z } from 'zod'
import { sweep } from '../sweep/sweep.ts'
import type { EvaluationBody } from './result.ts'

const text = z.string()
const amount = z.number().min(0)

/** The fields of a result that are its own. */
export const evaluationBodyShape: { readonly [K in keyof EvaluationBody]: z.ZodType<EvaluationBody[K]> } = {
  curves: sweep.body.curves,
  failures: z.array(z.strictObject({ store: text, error: text })),
  shapes: z.array(
    z.strictObject({
      store: text,
      load: text,
      shape: z.enum(['linear', 'saturation', 'inflection', 'discontinuity']),
      at: amount.nullable(),
    }),
  ),
  scenarios: z.array(
    z.strictObject({ scenario: text, candidate: text, found: z.number().nullable(), holds: z.boolean() }),
  ),
  comparisons: z.array(
    z.strictObject({
      candidate: text,
      load: text,
      points: z.array(
        z.strictObject({ callers: amount, strong: amount, eventual: amount, cost: z.number() }),
      ),
    }),
  ),
  ranking: z.array(
    z.strictObject({
      candidate: text,
      places: z.tuple([amount, amount]).optional(),
      met: amount,
      of: amount,
      throughput: amount,
      reasons: z.array(text),
    }),
  ),
}
