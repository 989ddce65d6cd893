import type { Averaged, Latency } from '../../driven/result.ts'
import type { Comparison } from '../../statistics/compare/comparison-result.ts'
import type { ShareInterval } from '../../statistics/share-interval.ts'
import type { StudyResult } from '../../study/study.ts'
import type { ConsistencyConfig } from './config.ts'
import type { Condition } from './plan.ts'

/** All that `unikv bench consistency` found: `result.json`. */
export type ConsistencyResult = StudyResult<ConsistencyConfig, ConsistencyBody>

/** The fields of a result beyond those of every study. Pairs of levels are texts: `strong`, or `write:quorum/read:one`. */
export interface ConsistencyBody {
  readonly levels: readonly StoreLevels[]
  readonly rates: readonly LevelRate[]
  /** The first pair of a store beside each other one. */
  readonly costs: readonly LevelCost[]
  readonly stale: readonly StaleResult[]
  /** The last run of each command of the disturbance. */
  readonly commands: readonly CommandResult[]
}

/** The levels of a store. */
export interface StoreLevels {
  readonly store: string
  /** As the store declares them; empty: calls cannot choose. */
  readonly declared: readonly string[]
  /** Their meaning in the words of the store, as far as it is known. */
  readonly meanings: Readonly<Record<string, string>>
  /** The pairs that were measured; the others are compared with the first. */
  readonly pairs: readonly string[]
  /** The places that read, besides the connection that writes. */
  readonly readers: readonly { readonly name: string; readonly url: string }[]
}

/** Where a figure comes from. */
export interface LevelPlace {
  readonly store: string
  readonly condition: Condition
  readonly pair: string
}

/** Throughput and latency of a pair with so many callers. */
export interface LevelRate extends LevelPlace {
  readonly callers: number
  /** Operations a second that succeeded. */
  readonly rate: Averaged
  /** Times of successes; `null` of an operation that the mix has not. */
  readonly read: Latency | null
  readonly write: Latency | null
  readonly errors: number
  readonly firstError: string | null
  /** Why a run says nothing about the store. */
  readonly invalid: readonly string[]
}

/** The cost of the first pair in throughput. */
export interface LevelCost {
  readonly store: string
  readonly condition: Condition
  readonly callers: number
  /** The first pair, and the one that it is compared with. */
  readonly pair: string
  readonly other: string
  /** How far the throughput of `pair` is below that of `other`, in per cent of that; negative: above it. */
  readonly costPercent: number
  /** Its 95 % interval by the paired test of the runs; `null` of fewer than three. */
  readonly interval: readonly [low: number, high: number] | null
  readonly verdict: Comparison['verdict']
}

/** The reads that followed the writes of a pair. */
export interface StaleResult extends LevelPlace {
  /** Writes that were acknowledged, and that readers followed. */
  readonly writes: number
  readonly writeErrors: number
  readonly firstError: string | null
  readonly readers: readonly ReaderResult[]
  readonly seen: SeenByAll
  readonly invalid: readonly string[]
}

/** The reads of one reader. */
export interface ReaderResult {
  readonly name: string
  /** In the order of rising delays; one without a read is left out. */
  readonly points: readonly StalePoint[]
  readonly errors: number
  /** The share of the writes that it saw after which it read the older value again; `null` if it saw none. */
  readonly wentBack: CountedShare | null
}

/** A share and the counts behind it. */
export interface CountedShare extends ShareInterval {
  readonly found: number
  readonly of: number
}

/** The reads that began at one delay or later, but before the next one. */
export interface StalePoint extends CountedShare {
  /** The delay. */
  readonly delayMs: number
  /** The mean of the times at which the reads began. */
  readonly atMs: number
}

/** The time until all readers saw a write for good. Writes that were never seen are the latest. */
export interface SeenByAll {
  readonly median: Quantile | null
  readonly p95: Quantile | null
  readonly p99: Quantile | null
  readonly max: Quantile | null
  /** Writes that no reader missed when it looked. */
  readonly atOnce: number
  /** Writes that a reader did not see within the horizon. */
  readonly unseen: number
  /** Writes that a reader was told nothing of, since all its reads failed. They are in no figure. */
  readonly unknown: number
}

/** A quantile of times. */
export interface Quantile {
  readonly ms: number
  /** Later than `ms`: so long the readers waited. */
  readonly isCensored: boolean
}

/** A command, and its output. */
export interface CommandResult {
  readonly kind: 'disturb' | 'undo'
  readonly elapsedMs: number
  readonly output: string
}
