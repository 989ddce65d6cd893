import type { ErrorCode } from '@unikv/core'
import type { QueryName } from './query.ts'

/** The figures of a monitor: plain data, without keys or values. */
export interface MonitorSnapshot {
  /** When counting began (wall clock, milliseconds since the epoch). */
  readonly sinceAt: number
  /** When this was taken. */
  readonly takenAt: number
  /** The figures by name of the store. */
  readonly stores: { readonly [name: string]: StoreSnapshot }
}

/** The operations of one store, those that were called. */
export interface StoreSnapshot {
  readonly read?: ReadSnapshot
  readonly set?: WriteSnapshot
  readonly delete?: WriteSnapshot
  readonly touch?: WriteSnapshot
  readonly increment?: WriteSnapshot
  /** Calls are pages, items their entries. */
  readonly scan?: OperationSnapshot
  /** Queries; items are the records that they brought. */
  readonly find?: OperationSnapshot
  /** Calls of the native client that went through `measure`. */
  readonly native?: OperationSnapshot
  /** Transactions whose log this is, with all their attempts. */
  readonly transaction?: TransactionSnapshot
  /** Calls of `recover` over this log. */
  readonly recovery?: TransactionSnapshot
  /** Native calls once more, by the attributes that they query. */
  readonly queries?: { readonly [query: QueryName]: OperationSnapshot }
}

/** One operation. A call is one use of a verb: a batch is one call of many items, or one of each type that it has. */
export interface OperationSnapshot {
  readonly calls: number
  /** Items of the calls that were answered. */
  readonly items: number
  /** Calls that have not been answered yet. */
  readonly underWay: number
  /** Answers that came after their caller had already been answered: by its deadline, its signal, or `close`. */
  readonly late: number
  /** Bytes of values, where a `traffic` layer stands next to the store. */
  readonly bytes: number
  /** Items that failed, by code; a call that fails as a whole fails in each item. */
  readonly errors: { readonly [code in ErrorCode]?: number }
  /** Answers without a promise. All are counted, one in 16, at random, is timed unless `timeEverySync` says otherwise. */
  readonly atOnce: LatencySnapshot
  /** Answers by promise. All are timed. */
  readonly awaited: LatencySnapshot
}

/** Reads. */
export interface ReadSnapshot extends OperationSnapshot {
  /** Items that a cache answered without asking further, by tier; *absent* among them. */
  readonly hits: { readonly [tier: string]: number }
  /** Items that the store itself answered, absent and revalidated ones among them. */
  readonly misses: number
  /** Items that are not there. */
  readonly absent: number
  /** Items that were older than the freshness that was asked for. */
  readonly stale: number
  /** Share of the hits, from 0 to 1; 0 before the first answer. */
  readonly hitRate: number
}

/** Mutations of one type. */
export interface WriteSnapshot extends OperationSnapshot {
  /** Items whose condition did not hold. */
  readonly conditionsFailed: number
}

/** Transactions, or recoveries. A call is a run with all its attempts; one that its function rolled back has not failed. */
export interface TransactionSnapshot extends OperationSnapshot {
  /** Conflicts that were lost. */
  readonly conditionsFailed: number
  /** The same by the name of the store that had them. */
  readonly conflicts: { readonly [store: string]: number }
  /** Transactions by their end: of runs `committed`, `rolledBack`, `givenUp` and `failed`; of recoveries `committed`, `aborted` and `left`. */
  readonly outcomes: { readonly [outcome: string]: number }
}

/** How long answers took. Percentiles are off by less than 1 %. */
export interface LatencySnapshot {
  /** How many answers there were. */
  readonly count: number
  /** How many of them were timed; without one, the rest is 0. */
  readonly timed: number
  readonly minMs: number
  readonly meanMs: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly maxMs: number
}
