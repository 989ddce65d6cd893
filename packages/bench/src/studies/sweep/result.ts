import { z } from 'zod'
import { averagedSchema, besidesShape, latencySchema, operationSchema } from '../../driven/result.ts'
import type { PlainShape } from '../../options/option.ts'
import type { StudyResult } from '../../study/study.ts'
import type { SweepConfig } from './config.ts'

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
