import { z } from 'zod'
import {
  allowedMisses,
  callers,
  connectionCount,
  mergedCalls,
  mostOperations,
  runLength,
  threadCount,
  warmupLength,
} from '../../driven/given/loop-options.ts'
import { averagedSchema, besidesShape, latencySchema, operationSchema } from '../../driven/result.ts'
import { workloadSchema } from '../../operations/workload.ts'
import { option, type Plain, type PlainShape } from '../../options/option.ts'
import type { StudyResult } from '../../study/study.ts'
import { runsSchema, studyShape } from '../../study/study-config.ts'
import { axisFields, defaultAxis, parseAxis } from './axis.ts'
import { parseLoad, sweepLoad } from './loads.ts'

const axis = z.strictObject({
  field: z.enum(axisFields),
  /** They rise. */
  values: z.array(z.number().min(0)).min(1).max(100),
})

/** The schema of a configuration, with defaults. */
export const sweepConfigSchema = z.strictObject({
  over: option(axis.prefault({ ...defaultAxis, values: [...defaultAxis.values] }), {
    help: 'parameter and its values, such as value-size=100,1K,10K',
    argument: '<parameter=values>',
    parse: parseAxis,
    preset: 'concurrency=1,2,5,…,1000',
    guide: `Parameters are ${axisFields.map((field) => `\`${field}\``).join(', ')}.`,
  }),
  /** Measured one after the other, each with a curve of its own; at least one. */
  loads: option(z.array(sweepLoad).min(1), {
    flag: 'load',
    help: 'operations that get a curve of their own, such as browse:read=95,update=5',
    argument: '<name:mix>',
    parse: parseLoad,
    isRepeatable: true,
    preset: 'reads and writes apart',
  }),
  /** Its mix is that of the first load. */
  workload: workloadSchema,
  /** Callers that each wait for their answer, unless the sweep goes over them. */
  concurrency: callers,
  threads: option(threadCount, { help: 'threads that share callers, each with a store of its own' }),
  merge: mergedCalls,
  connections: connectionCount,
  allowMisses: allowedMisses,
  /** Length of one run. */
  durationMs: runLength.default(5_000),
  /** Most operations of one run. */
  operations: mostOperations,
  warmupMs: warmupLength.default(2_000),
  runs: option(runsSchema.default(3), { help: 'measured runs of each value' }),
  ...studyShape,
})

/** The full configuration of the study, as it appears in the result. */
export type SweepConfig = Plain<typeof sweepConfigSchema>

const number = z.number()
const figure = number.nullable()
const range = z.tuple([number, number])

const fit = z.strictObject({
  alpha: number,
  beta: number,
  gamma: number,
  standardErrors: z.strictObject({
    alpha: figure,
    beta: figure,
    gamma: figure,
  }),
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
  /** Operations a second that succeeded. */
  rate: averagedSchema,
  /** Times of successes, from start to end. */
  latency: latencySchema,
  /** The same by operation. */
  operations: z.array(operationSchema),
  errors: z.int().min(0),
  firstError: z.string().nullable(),
  /** Why there was no connection for each caller in a run; if there was none in any, nothing was measured. @default there was */
  refused: z.string().optional(),
  /** Facts of each run besides its operations. @default not known */
  runs: z.array(z.strictObject(besidesShape)).optional(),
  /** Why a run says nothing about the store. */
  invalid: z.array(z.string()),
})

/** The fields of a result that are its own. */
export const sweepBodyShape = {
  curves: z.array(
    z.strictObject({
      store: z.string(),
      /** The name of the load, such as `read`. */
      load: z.string(),
      /** In the order of rising values; a value without a measured run is left out. */
      points: z.array(point).min(1),
      /** The Universal Scalability Law through the runs; `null` unless the axis is concurrency with three values or more. */
      fit: fit.nullable(),
    }),
  ),
}

/** All that `unikv bench sweep` found: `result.json`. */
export type SweepResult = StudyResult<SweepConfig, SweepBody>

/** The fields of a result beyond those of every study. */
export type SweepBody = PlainShape<typeof sweepBodyShape>

/** A load over one store. */
export type Curve = SweepBody['curves'][number]

/** All runs of a load at one value. */
export type CurvePoint = Curve['points'][number]
