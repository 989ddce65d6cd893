import { z } from 'zod'
import { averagedSchema, latencySchema } from '../../driven/result.ts'
import type { PlainShape } from '../../options/option.ts'
import type { StudyResult } from '../../study/study.ts'
import type { ConsistencyConfig } from './config.ts'

const count = z.int().min(0)
const number = z.number()
const text = z.string()
const condition = z.enum(['calm', 'disturbed'])
const place = { store: text, condition, pair: text }
const problem = {
  firstError: text.nullable(),
  /** Why a run says nothing about the store. */
  invalid: z.array(text),
}
const counted = { share: number, low: number, high: number, found: count, of: count }
const quantile = z
  .strictObject({
    ms: number,
    /** Later than `ms`: so long the readers waited. */
    isCensored: z.boolean(),
  })
  .nullable()

const reader = z.strictObject({
  name: text,
  /** In the order of rising delays; one without a read is left out. */
  points: z.array(
    z.strictObject({
      ...counted,
      /** The delay. */
      delayMs: number,
      /** The mean of the times at which the reads began. */
      atMs: number,
    }),
  ),
  errors: count,
  /** The share of the writes that it saw after which it read the older value again; `null` if it saw none. */
  wentBack: z.strictObject(counted).nullable(),
})

const seen = z.strictObject({
  median: quantile,
  p95: quantile,
  p99: quantile,
  max: quantile,
  /** Writes that no reader missed when it looked. */
  atOnce: count,
  /** Writes that a reader did not see within the horizon. */
  unseen: count,
  /** Writes that a reader was told nothing of, since all its reads failed. They are in no figure. */
  unknown: count,
})

/** The fields of a result that are its own. */
export const consistencyBodyShape = {
  levels: z.array(
    z.strictObject({
      store: text,
      /** As the store declares them; empty: calls cannot choose. */
      declared: z.array(text),
      /** Their meaning in the words of the store, as far as it is known. */
      meanings: z.record(text, text),
      /** The pairs that were measured; the others are compared with the first. */
      pairs: z.array(text),
      /** The places that read, besides the connection that writes. */
      readers: z.array(
        z.strictObject({
          name: text,
          url: text,
        }),
      ),
    }),
  ),
  rates: z.array(
    z.strictObject({
      ...place,
      callers: count,
      /** Operations a second that succeeded. */
      rate: averagedSchema,
      /** Times of successes; `null` of an operation that the mix has not. */
      read: latencySchema.nullable(),
      write: latencySchema.nullable(),
      /** Operations that succeeded. @default not known */
      count: count.optional(),
      errors: count,
      ...problem,
    }),
  ),
  /** The first pair of a store beside each other one. */
  costs: z.array(
    z.strictObject({
      store: text,
      condition,
      callers: count,
      /** The first pair, and the one that it is compared with. */
      pair: text,
      other: text,
      /** How far the throughput of `pair` is below that of `other`, in per cent of that; negative: above it. */
      costPercent: number,
      /** Its 95 % interval by the paired test of the runs; `null` of fewer than three. */
      interval: z.tuple([number, number]).nullable(),
      verdict: z.enum(['faster', 'slower', 'no-difference', 'unclear', 'not-enough-runs']),
    }),
  ),
  stale: z.array(
    z.strictObject({
      ...place,
      /** Writes that were acknowledged, and that readers followed. */
      writes: count,
      writeErrors: count,
      readers: z.array(reader),
      seen,
      ...problem,
    }),
  ),
  /** The last run of each command of the disturbance. */
  commands: z.array(
    z.strictObject({
      kind: z.enum(['disturb', 'undo']),
      elapsedMs: number,
      output: text,
    }),
  ),
}

/** All that `unikv bench consistency` found: `result.json`. */
export type ConsistencyResult = StudyResult<ConsistencyConfig, ConsistencyBody>

/** The fields of a result beyond those of every study. Pairs of levels are texts: `strong`, or `write:quorum/read:one`. */
export type ConsistencyBody = PlainShape<typeof consistencyBodyShape>

/** The levels of a store. */
export type StoreLevels = ConsistencyBody['levels'][number]

/** Where a figure comes from. */
export type LevelPlace = Pick<LevelRate, 'store' | 'condition' | 'pair'>

/** Throughput and latency of a pair with so many callers. */
export type LevelRate = ConsistencyBody['rates'][number]

/** The cost of the first pair in throughput. */
export type LevelCost = ConsistencyBody['costs'][number]

/** The reads that followed the writes of a pair. */
export type StaleResult = ConsistencyBody['stale'][number]

/** The reads of one reader. */
export type ReaderResult = StaleResult['readers'][number]

/** A share and the counts behind it. */
export type CountedShare = NonNullable<ReaderResult['wentBack']>

/** The time until all readers saw a write for good. Writes that were never seen are the latest. */
export type SeenByAll = StaleResult['seen']

/** A quantile of times. */
export type Quantile = NonNullable<SeenByAll['median']>
