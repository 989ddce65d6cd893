import { z } from 'zod'
import type { StudyResult } from '../../study/study.ts'
import type { TooLong } from './budget.ts'
import type { OverheadConfig } from './config.ts'
import type { Operation, SideName } from './side/messages.ts'

/** The middle of several runs, and its 95 % interval; `null` of fewer than six runs. */
export interface Middle {
  readonly median: number
  readonly low: number | null
  readonly high: number | null
}

/** One operation by one side over all runs. Times are milliseconds. */
export interface SideResult {
  readonly side: SideName
  /** The medians of the means, the medians and the 99th percentiles of the runs. */
  readonly meanMs: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly calls: number
  /** The difference to the native client, run by run; `null` for the native client itself. */
  readonly adds: Added | null
}

/** The cost of a side beside the native client. */
export interface Added {
  /** The median of the side less that of the native client, in milliseconds. */
  readonly ms: Middle
  /** The same as a share of the native time, in per cent. */
  readonly percent: number
}

/** One operation at one volume by all sides, the native client first. */
export interface OverheadRow {
  readonly store: string
  readonly volume: number
  readonly operation: Operation
  readonly sides: readonly SideResult[]
}

/** How the cost of an operation by a side changes as the volume grows. */
export interface OverheadTrend {
  readonly store: string
  readonly operation: Operation
  readonly side: SideName
  /** Milliseconds for each doubling of the volume. */
  readonly slopeMs: number
  /** Its 95 % interval; `null`: there are too few runs and volumes for one. */
  readonly lowMs: number | null
  readonly highMs: number | null
  /** `constant`: the interval of the slope holds zero; `unclear`: there is no interval. */
  readonly verdict: 'constant' | 'grows' | 'falls' | 'unclear'
}

/** A volume that did not fit into the time. Times are milliseconds. */
export interface NotRun extends TooLong {
  readonly store: string
  readonly volume: number
}

/** The fields of a result that are its own. */
export interface OverheadBody {
  readonly rows: readonly OverheadRow[]
  /** Stores with three volumes or more have them. */
  readonly trends: readonly OverheadTrend[]
  /** Volumes that were left out. */
  readonly notRun: readonly NotRun[]
}

/** All that `unikv bench overhead` found: `result.json`. */
export type OverheadResult = StudyResult<OverheadConfig, OverheadBody>

const end = z.number().nullable()
const operation = z.enum(['insert', 'read', 'update', 'delete'])
const side = z.enum(['native', 'unikv', 'layers', 'keyv', 'unstorage'])
const ms = z.number().min(0)
const middle = z.strictObject({ median: z.number(), low: end, high: end })

/** The schema of `OverheadBody`. */
export const overheadBodyShape: { readonly [K in keyof OverheadBody]: z.ZodType<OverheadBody[K]> } = {
  rows: z.array(
    z.strictObject({
      store: z.string(),
      volume: z.int().min(1),
      operation,
      sides: z.array(
        z.strictObject({
          side,
          meanMs: ms,
          p50Ms: ms,
          p99Ms: ms,
          calls: z.int().min(1),
          adds: z.strictObject({ ms: middle, percent: z.number() }).nullable(),
        }),
      ),
    }),
  ),
  trends: z.array(
    z.strictObject({
      store: z.string(),
      operation,
      side,
      slopeMs: z.number(),
      lowMs: end,
      highMs: end,
      verdict: z.enum(['constant', 'grows', 'falls', 'unclear']),
    }),
  ),
  notRun: z.array(z.strictObject({ store: z.string(), volume: z.int().min(1), needsMs: ms, leftMs: ms })),
}
