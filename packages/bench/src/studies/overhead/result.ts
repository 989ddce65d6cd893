import { z } from 'zod'
import { rowSchema } from '../../cube/row.ts'
import type { PlainShape } from '../../options/option.ts'
import type { StudyResult } from '../../study/study.ts'
import type { OverheadConfig } from './config.ts'

const end = z.number().nullable()
const operation = z.enum(['insert', 'read', 'update', 'delete'])
const side = z.enum(['native', 'unikv', 'layers', 'keyv', 'unstorage'])
const ms = z.number().min(0)

/** The schema of `OverheadBody`. */
export const overheadBodyShape = {
  /** Times of each side, and what it adds to the native client, run by run: medians over the runs. */
  rows: z.array(rowSchema),
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

/** How the cost of an operation by a side changes as the volume grows. */
export type OverheadTrend = OverheadBody['trends'][number]

/** A volume that did not fit into the time. Times are milliseconds. */
export type NotRun = OverheadBody['notRun'][number]

/** The fields of a result that are its own. */
export type OverheadBody = PlainShape<typeof overheadBodyShape>
