import { z } from 'zod'
import type { PlainShape } from '../../options/plain.ts'
import type { StudyResult } from '../../study/study.ts'
import { type DeltasConfig, editPatterns } from './config.ts'
import { recommendationSchema } from './recommend.ts'

const ms = z.number().min(0)
const amount = z.number().min(0)
const share = z.number().min(0).max(1)

const timed = z.strictObject({
  /** The mean of each run, and of the runs. */
  runsMs: z.array(ms).min(1),
  meanMs: ms,
  /** Half-width of the 95 % confidence interval of the mean; `null` of one run. */
  halfWidthMs: ms.nullable(),
  /** Of all operations; `null` where fewer than ten lie beyond it. */
  p50Ms: ms.nullable(),
  p99Ms: ms.nullable(),
})

const way = z.strictObject({
  update: timed,
  /** By a process that does not know the value. */
  read: timed,
  /** By a process that knew it before the last update. */
  knownRead: timed,
  /** Processor time of an update in nanoseconds for each byte of the value. */
  cpuNsPerByte: amount,
  /** Bytes of records that an update sends, and that stand in the store after it: means. */
  sentBytes: amount,
  storedBytes: amount,
  /** Bytes that a read brings. */
  readBytes: amount,
  knownReadBytes: amount,
  /** Requests that are waited for, one after the other. */
  updateTrips: amount,
  readTrips: amount,
  knownReadTrips: amount,
})

/** The fields of a result that are its own. */
export const deltasBodyShape = {
  points: z.array(
    z.strictObject({
      store: z.string(),
      /** Place on the size axis, in bytes. */
      size: z.int().min(1),
      edit: z.enum(editPatterns),
      share,
      /** Mean length of the values that were written. */
      valueBytes: amount,
      /** Updates of all runs. */
      updates: z.int().min(0),
      /** Share of updates that were sent as a delta, by the layer or for the server to apply. */
      deltaShare: share,
      plain: way,
      delta: way,
      recommendation: recommendationSchema,
    }),
  ),
}

/** All that a run of the study found: `result.json`. */
export type DeltasResult = StudyResult<DeltasConfig, DeltasBody>

/** The fields of a result beyond those of every study. */
export type DeltasBody = PlainShape<typeof deltasBodyShape>

/** Updates of one store, at one size, by one pattern. */
export type DeltaPoint = DeltasBody['points'][number]

/** One way of writing: whole values, or deltas. */
export type Way = DeltaPoint['plain']

/** A time that was measured in several runs. */
export type Timed = Way['update']
