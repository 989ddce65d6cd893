import { z } from 'zod'
import type { PlainShape } from '../../options/plain.ts'
import type { StudyResult } from '../../study/study.ts'
import type { OverheadConfig } from './config.ts'

const end = z.number().nullable()
const operation = z.enum(['insert', 'read', 'update', 'delete'])
const side = z.enum(['native', 'unikv', 'layers', 'keyv', 'unstorage'])
const ms = z.number().min(0)
const middle = z.strictObject({
  median: z.number(),
  low: end,
  high: end,
})

/** The schema of `OverheadBody`. */
export const overheadBodyShape = {
  rows: z.array(
    z.strictObject({
      store: z.string(),
      volume: z.int().min(1),
      operation,
      sides: z.array(
        z.strictObject({
          side,
          /** The medians of the means, the medians and the 99th percentiles of the runs. */
          meanMs: ms,
          p50Ms: ms,
          p99Ms: ms,
          calls: z.int().min(1),
          /** The difference to the native client, run by run; `null` for the native client itself. */
          adds: z
            .strictObject({
              /** The median of the side less that of the native client, in milliseconds. */
              ms: middle,
              /** The same as a share of the native time, in per cent. */
              percent: z.number(),
            })
            .nullable(),
        }),
      ),
    }),
  ),
  /** Stores with three volumes or more have them. */
  trends: z.array(
    z.strictObject({
      store: z.string(),
      operation,
      side,
      /** Milliseconds for each doubling of the volume. */
      slopeMs: z.number(),
      /** Its 95 % interval; `null`: there are too few runs and volumes for one. */
      lowMs: end,
      highMs: end,
      /** `constant`: the interval of the slope holds zero; `unclear`: there is no interval. */
      verdict: z.enum(['constant', 'grows', 'falls', 'unclear']),
    }),
  ),
  /** Volumes that were left out. */
  notRun: z.array(
    z.strictObject({
      store: z.string(),
      volume: z.int().min(1),
      needsMs: ms,
      leftMs: ms,
    }),
  ),
}

/** All that `unikv bench overhead` found: `result.json`. */
export type OverheadResult = StudyResult<OverheadConfig, OverheadBody>

/** The middle of several runs, and its 95 % interval; `null` of fewer than six runs. */
export type Middle = Added['ms']

/** One operation by one side over all runs. Times are milliseconds. */
export type SideResult = OverheadRow['sides'][number]

/** The cost of a side beside the native client. */
export type Added = NonNullable<SideResult['adds']>

/** One operation at one volume by all sides, the native client first. */
export type OverheadRow = OverheadBody['rows'][number]

/** How the cost of an operation by a side changes as the volume grows. */
export type OverheadTrend = OverheadBody['trends'][number]

/** A volume that did not fit into the time. Times are milliseconds. */
export type NotRun = OverheadBody['notRun'][number]

/** The fields of a result that are its own. */
export type OverheadBody = PlainShape<typeof overheadBodyShape>
