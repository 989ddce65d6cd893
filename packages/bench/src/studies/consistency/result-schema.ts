import { z } from 'zod'
import { averagedSchema, latencySchema } from '../../driven/result-schema.ts'
import type { ConsistencyBody } from './result.ts'

const count = z.int().min(0)
const number = z.number()
const text = z.string()
const condition = z.enum(['calm', 'disturbed'])
const place = { store: text, condition, pair: text }
const problem = { firstError: text.nullable(), invalid: z.array(text) }
const counted = { share: number, low: number, high: number, found: count, of: count }
const quantile = z.strictObject({ ms: number, isCensored: z.boolean() }).nullable()

const reader = z.strictObject({
  name: text,
  points: z.array(z.strictObject({ ...counted, delayMs: number, atMs: number })),
  errors: count,
  wentBack: z.strictObject(counted).nullable(),
})

const seen = z.strictObject({
  median: quantile,
  p95: quantile,
  p99: quantile,
  max: quantile,
  atOnce: count,
  unseen: count,
  unknown: count,
})

/** The fields of a result that are its own. */
export const consistencyBodyShape: { readonly [K in keyof ConsistencyBody]: z.ZodType<ConsistencyBody[K]> } =
  {
    levels: z.array(
      z.strictObject({
        store: text,
        declared: z.array(text),
        meanings: z.record(text, text),
        pairs: z.array(text),
        readers: z.array(z.strictObject({ name: text, url: text })),
      }),
    ),
    rates: z.array(
      z.strictObject({
        ...place,
        callers: count,
        rate: averagedSchema,
        read: latencySchema.nullable(),
        write: latencySchema.nullable(),
        errors: count,
        ...problem,
      }),
    ),
    costs: z.array(
      z.strictObject({
        store: text,
        condition,
        callers: count,
        pair: text,
        other: text,
        costPercent: number,
        interval: z.tuple([number, number]).nullable(),
        verdict: z.enum(['faster', 'slower', 'no-difference', 'unclear', 'not-enough-runs']),
      }),
    ),
    stale: z.array(
      z.strictObject({
        ...place,
        writes: count,
        writeErrors: count,
        readers: z.array(reader),
        seen,
        ...problem,
      }),
    ),
    commands: z.array(z.strictObject({ kind: z.enum(['disturb', 'undo']), elapsedMs: number, output: text })),
  }
