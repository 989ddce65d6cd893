import { z } from 'zod'
import { errorCodesSchema, kindSchema, outcomeSchema } from '../drive/driver.ts'
import { invalidReasons } from '../loop/verdict.ts'
import type { Plain, PlainShape } from '../options/option.ts'
import { machineSchema } from '../run/machine.ts'
import type { RunResult } from '../run/result.ts'

const count = z.int().min(0)
const amount = z.number().min(0)
const name = z.string()

/** The schema of a figure of several runs. */
export const averagedSchema = z.strictObject({
  runs: z.array(amount),
  mean: amount,
  /** Half-width of the 95 % confidence interval of the mean; `null` of one run. */
  halfWidth: amount.nullable(),
})

/** The schema of times of operations. */
export const latencySchema = z.strictObject({
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
export const operationSchema = z.strictObject({
  /** The operation, such as `read`. */
  name,
  /** Why it counts apart: `miss`, `conflict` or `stale`; `null` for a success. */
  outcome: outcomeSchema,
  count,
  errors: count,
  /** The same by the codes of their errors. */
  errorCodes: errorCodesSchema,
  /** Successes that ended after the time of their run: they are in `count` and in the times, and not in `rate`. */
  late: count.default(0),
  /** Successes a second within the time of their run. */
  rate: averagedSchema,
  /** From start to end. */
  service: latencySchema,
  /** From the intended start to the end; `null` without a rate. */
  response: latencySchema.nullable(),
})

const point = z.strictObject({
  operations: count,
  errors: count,
  p50Ms: amount.nullable(),
  p99Ms: amount.nullable(),
  maxMs: amount.nullable(),
})

const interval = z.strictObject({
  atMs: amount,
  lengthMs: amount,
  all: point,
  kinds: z.array(point),
})

const open = z.strictObject({
  targetRate: amount,
  arrivals: count,
  dropped: count,
  queued: count,
  /** How late the generator itself was: p99. */
  lagP99Ms: amount,
  /** Operations a second that the schedule asked for in each interval of the series; empty where it is not known. */
  targets: z.array(amount).default([]),
})

const invalid = z.strictObject({ reason: z.enum(invalidReasons), message: z.string() })

/** The schema of facts of a run besides its operations. */
export const besidesShape = {
  run: z.int().min(1),
  /** Milliseconds in which the process of the run did not run, by pauses of more than 50. @default not known */
  lostMs: amount.optional(),
  /** The work of the machine meanwhile. @default not known */
  machine: machineSchema.optional(),
  /** Calls that reached the store: each read, write and page of a listing, with however many keys. @default not counted */
  calls: count.optional(),
  /** Connections of the callers, and the node that they go to; `null`: all nodes of the URL. @default not counted */
  connections: z.array(z.strictObject({ node: z.string().nullable(), count })).optional(),
}

const sample = z
  .strictObject({
    ...besidesShape,
    /** From the first start to the last end. */
    elapsedMs: amount,
    /** The time that rates of operations which were not late are of: the run's duration, or `elapsedMs` if the run ended earlier. */
    countedMs: amount.optional(),
    /** Operations that ended, failures included. */
    operations: count,
    errors: count,
    firstError: z.string().nullable(),
    kinds: z.array(kindSchema),
    /** Each second of the run, or longer intervals of more than half an hour; their kinds are aligned with `kinds`. */
    series: z.array(interval),
    /** The account of a run at a rate; `null` without one. */
    open: open.nullable(),
    /** Values of reads that were checked; `null` without checks. */
    checks: z
      .strictObject({
        checked: count,
        wrong: count,
      })
      .nullable(),
    /** Why the run says nothing about the store; empty for a good one. */
    invalid: z.array(invalid),
  })
  // earlier results count until the last end
  .transform((run) => ({ ...run, countedMs: run.countedMs ?? run.elapsedMs }))

/** The fields of a result that are its own. */
export const drivenBodyShape = {
  targets: z.array(
    z.strictObject({
      store: z.string(),
      /** The phase of its runs; `null`: they have no phases. */
      phase: z.string().nullable().default(null),
      /** The law by which keys were chosen, in words. */
      keyLaw: z.string(),
      /** The law of the lengths of values, in words. */
      lengthLaw: z.string(),
      /** Whether a warm-up until steady came to be so; `null`: it lasted a given time. */
      isSteady: z.boolean().nullable().default(null),
      /** Loading the records, before anything was measured. */
      load: z.strictObject({
        records: count,
        elapsedMs: amount,
      }),
      /** Bringing the records back as they were loaded, before each run; `null`: runs follow each other on the same records. */
      reset: z
        .strictObject({
          way: z.enum(['snapshot', 'commands']),
          /** Keeping them after the load, in milliseconds. */
          saveMs: amount,
          /** Bringing them back before a run, in milliseconds. */
          restoreMs: averagedSchema,
        })
        .nullable()
        .default(null),
      /** Operations a second, of all kinds that succeeded within the time of their run. */
      rate: averagedSchema,
      operations: z.array(operationSchema),
      runs: z.array(sample).min(1),
    }),
  ),
  thresholds: z.array(
    z.strictObject({
      /** The store, and the phase if there are some. */
      store: z.string(),
      /** The threshold as it was written. */
      text: z.string(),
      /** In the unit of the threshold; `null`: there were too few operations to tell. */
      found: z.number().nullable(),
      isCrossed: z.boolean(),
    }),
  ),
}

/** The part of a result that tells of driven stores. */
export type DrivenResult = Pick<RunResult, 'startedAt'> & DrivenBody

/** Facts of a run besides its operations. */
export type RunBesides = Pick<RunSample, 'run' | 'calls' | 'lostMs' | 'machine' | 'connections'>

/** The fields of a result beyond those of every study. */
export type DrivenBody = PlainShape<typeof drivenBodyShape>

/** How records were brought back before runs. */
export type ResetResult = NonNullable<TargetResult['reset']>

/** The result of one store, or of one phase in it. */
export type TargetResult = DrivenBody['targets'][number]

/** All operations of one kind, in all runs. */
export type OperationResult = Plain<typeof operationSchema>

/** A figure of several runs. */
export type Averaged = Plain<typeof averagedSchema>

/** Times of operations; percentiles are of all runs together, and `null` where fewer than ten values lie beyond them. */
export type Latency = Plain<typeof latencySchema>

/** One measured run. */
export type RunSample = TargetResult['runs'][number]

/** How a schedule was kept. */
export type OpenSample = NonNullable<RunSample['open']>

/** A threshold and its figure in one store. */
export type ThresholdResult = DrivenBody['thresholds'][number]
