import { z } from 'zod'
import type { PlainShape } from '../../options/option.ts'
import type { StudyResult } from '../../study/study.ts'
import { sweep } from '../sweep/sweep.ts'
import type { EvaluationConfig } from './config.ts'

const text = z.string()
const amount = z.number().min(0)

/** The fields of a result that are its own. */
export const evaluationBodyShape = {
  /** A curve of every store and load, eventual consistency among them. */
  curves: sweep.body.curves,
  /** Stores that were given up during the run. */
  failures: z.array(
    z.strictObject({
      store: text,
      error: text,
    }),
  ),
  shapes: z.array(
    z.strictObject({
      store: text,
      load: text,
      shape: z.enum(['linear', 'saturation', 'inflection', 'discontinuity']),
      /** Callers at which it saturates, has its highest throughput, or jumps; `null` of a linear one, and of one that still rises. */
      at: amount.nullable(),
    }),
  ),
  scenarios: z.array(
    z.strictObject({
      scenario: text,
      candidate: text,
      /** In the unit of the measure; `null`: too few operations succeeded to tell. */
      found: z.number().nullable(),
      holds: z.boolean(),
      /** The 95 % interval of the figure, by its runs. @default not known */
      interval: z.tuple([z.number(), z.number()]).optional(),
      /** The interval holds the bound, so that the runs do not tell whether it holds. @default false */
      isClose: z.boolean().optional(),
      /** The share of reads that found no record, where the load deletes none: then it does not hold. @default 0 */
      missed: amount.optional(),
      /** Why the server had no connection for each caller. @default it had, or callers share them */
      refused: text.optional(),
    }),
  ),
  comparisons: z.array(
    z.strictObject({
      candidate: text,
      load: text,
      points: z.array(
        z.strictObject({
          callers: amount,
          strong: amount,
          eventual: amount,
          /** The part of the throughput that strong consistency costs, from 0 to 1; negative if it is faster. */
          cost: z.number(),
        }),
      ),
    }),
  ),
  /** The cost of each measured candidate a month, in the currency of the prices. @default no prices were given */
  costs: z
    .array(
      z.strictObject({
        candidate: text,
        /** Operations a second. */
        rate: amount,
        parts: z.array(
          z.strictObject({
            of: z.enum(['nodes', 'reads', 'writes', 'storage']),
            /** The price of an hour of a node, a million reads or writes, or a month of a gigabyte; `null`: none was given. */
            price: amount.nullable(),
            /** Hours of nodes, millions, or gigabytes in a month; `null`: not known, or it costs nothing. */
            amount: amount.nullable(),
            month: amount.nullable(),
            /** Why its cost is not known. */
            lack: text.nullable(),
          }),
        ),
        /** Why nothing is known: it does not carry the load. */
        lack: text.nullable(),
        /** Sum of the parts that are known; `null`: none is. */
        month: amount.nullable(),
      }),
    )
    .optional(),
  /** Measured candidates, the best first. */
  ranking: z.array(
    z.strictObject({
      candidate: text,
      /** The first and the last place that its runs leave open. @default its own place: an earlier result */
      places: z.tuple([amount, amount]).optional(),
      /** Sum of the weights of scenarios that hold. */
      met: amount,
      of: amount,
      /** Geometric mean over the loads of its highest throughput, as a part of that of the best candidate. */
      throughput: amount,
      /** In sentences. */
      reasons: z.array(text),
    }),
  ),
}

/** All that `unikv evaluate` found: `result.json`. */
export type EvaluationResult = StudyResult<EvaluationConfig, EvaluationBody>

/** The form of a curve of throughput over callers. */
export type Shape = 'linear' | 'saturation' | 'inflection' | 'discontinuity'

/** The fields of a result beyond those of every study. */
export type EvaluationBody = PlainShape<typeof evaluationBodyShape>

/** The shape of one curve. */
export type ShapeOf = EvaluationBody['shapes'][number]

/** A scenario and what a candidate did. */
export type ScenarioResult = EvaluationBody['scenarios'][number]

/** Strong beside eventual consistency. */
export type LevelComparison = EvaluationBody['comparisons'][number]

/** The cost of a candidate. */
export type CostOf = NonNullable<EvaluationBody['costs']>[number]

/** A candidate in the order of choice. */
export type Ranked = EvaluationBody['ranking'][number]
