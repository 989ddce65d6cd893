import { z } from 'zod'
import { machineSchema } from '../run/machine.ts'
import { histogramJsonSchema } from '../statistics/histogram-json.ts'
import type { Averaged, DrivenBody, Latency, OperationResult, RunBesides } from './result.ts'

const count = z.int().min(0)
const amount = z.number().min(0)
const name = z.string()
const errorCodes = z.record(z.string(), count).default({})
const outcome = z.enum(['miss', 'conflict']).nullable()
/** The schema of a figure of several runs. */
export const averagedSchema: z.ZodType<Averaged> = z.strictObject({
  runs: z.array(amount),
  mean: amount,
  halfWidth: amount.nullable(),
})

/** The schema of times of operations. */
export const latencySchema: z.ZodType<Latency> = z.strictObject({
  meanMs: averagedSchema,
  minMs: amount,
  maxMs: amount,
  p50Ms: amount.nullable(),
  p90Ms: amount.nullable(),
  p95Ms: amount.nullable(),
  p99Ms: amount.nullable(),
  p999Ms: amount.nullable(),
  p9999Ms: amount.nullable(),
})

/** The schema of all operations of one kind. */
export const operationSchema: z.ZodType<OperationResult> = z.strictObject({
  name,
  outcome,
  count,
  errors: count,
  errorCodes,
  late: count.default(0),
  rate: averagedSchema,
  service: latencySchema,
  response: latencySchema.nullable(),
})

const kind = z.strictObject({
  name,
  outcome,
  errors: count,
  errorCodes,
  late: count.default(0),
  service: histogramJsonSchema,
  response: histogramJsonSchema.nullable(),
})

const point = z.strictObject({
  operations: count,
  errors: count,
  p50Ms: amount.nullable(),
  p99Ms: amount.nullable(),
  maxMs: amount.nullable(),
})

const interval = z.strictObject({ atMs: amount, lengthMs: amount, all: point, kinds: z.array(point) })

const open = z.strictObject({
  targetRate: amount,
  arrivals: count,
  dropped: count,
  queued: count,
  lagP99Ms: amount,
  targets: z.array(amount).default([]),
})

const invalid = z.strictObject({
  reason: z.enum([
    'generator-saturated',
    'target-missed',
    'arrivals-dropped',
    'too-many-errors',
    'clock-jumped',
    'too-few-samples',
    'worker-lost',
    'records-lost',
  ]),
  message: z.string(),
})

/** The schema of facts of a run besides its operations. */
export const besidesShape: { readonly [K in keyof Required<RunBesides>]: z.ZodType<RunBesides[K]> } = {
  run: z.int().min(1),
  lostMs: amount.optional(),
  machine: machineSchema.optional(),
  calls: count.optional(),
}

const sample = z
  .strictObject({
    ...besidesShape,
    elapsedMs: amount,
    countedMs: amount.optional(),
    operations: count,
    errors: count,
    firstError: z.string().nullable(),
    kinds: z.array(kind),
    series: z.array(interval),
    open: open.nullable(),
    checks: z.strictObject({ checked: count, wrong: count }).nullable(),
    invalid: z.array(invalid),
  })
  // earlier results count until the last end
  .transform((run) => ({ ...run, countedMs: run.countedMs ?? run.elapsedMs }))

/** The fields of a result that are its own. */
export const drivenBodyShape: { readonly [K in keyof DrivenBody]: z.ZodType<DrivenBody[K]> } = {
  targets: z.array(
    z.strictObject({
      store: z.string(),
      phase: z.string().nullable().default(null),
      keyLaw: z.string(),
      lengthLaw: z.string(),
      isSteady: z.boolean().nullable().default(null),
      load: z.strictObject({ records: count, elapsedMs: amount }),
      reset: z
        .strictObject({
          way: z.enum(['snapshot', 'commands']),
          saveMs: amount,
          restoreMs: averagedSchema,
        })
        .nullable()
        .default(null),
      rate: averagedSchema,
      operations: z.array(operationSchema),
      runs: z.array(sample).min(1),
    }),
  ),
  thresholds: z.array(
    z.strictObject({
      store: z.string(),
      text: z.string(),
      found: z.number().nullable(),
      isCrossed: z.boolean(),
    }),
  ),
}
