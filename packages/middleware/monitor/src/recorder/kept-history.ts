import { wallClock } from '@unikv/core/platform'
import type { Frame } from '../figures.ts'
import { checkOnUnreadable, type HistoryPoint, type HistoryQuery, historyOf } from './history.ts'
import { type Keeper, KeptRecords } from './kept-records.ts'
import type { ProcessLoad } from './process-load.ts'
import type { ServerFeatures } from './servers.ts'

/** The figures that recorders of other processes keep, to be read. */
export interface KeptHistory {
  /** The work of all processes by period, store and operation. */
  history(this: void, query?: HistoryQuery): Promise<HistoryPoint[]>
  /** The last seconds of each process that runs. Takes `onUnreadable`, as `history`. */
  live(this: void, options?: LiveOptions): Promise<LiveProcess[]>
}

/** Options of `live`. */
export type LiveOptions = Pick<HistoryQuery, 'onUnreadable'>

/** A process that records. */
export interface LiveProcess {
  readonly id: string
  readonly name: string
  /** When it wrote this (milliseconds since the epoch). */
  readonly at: number
  /** How long the span is that the figures are of. */
  readonly lengthMs: number
  readonly frame: Frame
  /** Servers of its stores, where they tell of themselves. */
  readonly servers: { readonly [store: string]: ServerFeatures }
  /** How busy it was; `undefined`: it has not told yet, or is of an earlier version. */
  readonly process: ProcessLoad | undefined
}

/**
 * Read what recorders keep in a KeyValue.
 *
 * @throws {StoreError} `UNSUPPORTED` for a store that cannot list keys
 */
export function keptHistory(keeper: Keeper): KeptHistory {
  const records = new KeptRecords(keeper)
  return Object.freeze({
    history: (query: HistoryQuery = {}) => historyOf(records, query, wallClock()),
    live: async ({ onUnreadable }: LiveOptions = {}) => {
      checkOnUnreadable(onUnreadable)
      const found = await records.live(wallClock(), onUnreadable)
      return found.map(({ writer, fromAt, toAt, frame, servers = {}, process }) => ({
        ...writer,
        at: toAt,
        lengthMs: toAt - fromAt,
        frame,
        servers,
        process,
      }))
    },
  })
}
