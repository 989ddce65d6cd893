import type { Frame } from '../figures.ts'
import { isOfCalls, type Operation } from '../operation.ts'
import { type QueryName, queryNamed } from '../query.ts'
import { summarised } from '../summary.ts'
import type { MachineLoads } from './machines.ts'
import type { ProcessLoad } from './process-load.ts'
import type { ServerFeatures } from './servers.ts'
import type { WindowName } from './windows.ts'

/** Figures of one operation in a window, as numbers that can be compared over windows of any length. */
export interface OperationFeatures {
  readonly callsPerSecond: number
  readonly itemsPerSecond: number
  readonly bytesPerSecond: number
  /** Share of the calls of the store that were of this operation, from 0 to 1; those of a query are native calls, too. 0 of transactions, which consist of other calls. */
  readonly mix: number
  readonly errorShare: number
  /** Share of reads that caches answered; 0 for other operations. */
  readonly hitRate: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

/** Features of one window: of each operation and kind of query of each store, and of this process. */
export interface WindowFeatures {
  /** How much of the window was seen, in milliseconds. */
  readonly seenMs: number
  readonly stores: {
    readonly [store: string]: { readonly [operation in Operation]?: OperationFeatures } & {
      readonly [query: QueryName]: OperationFeatures
    }
  }
  /** `undefined` in the first second. */
  readonly process: ProcessLoad | undefined
  /** Machines of the option `machines`, from their second answer on. */
  readonly machines: MachineLoads
}

/** Features of all windows, at one time. */
export interface Features {
  /** Wall clock, in milliseconds since the epoch. */
  readonly at: number
  readonly windows: { readonly [name in WindowName]: WindowFeatures }
  /** Servers of stores that were called, where they tell of themselves; asked every `statisticsMs`. */
  readonly servers: { readonly [store: string]: ServerFeatures }
}

/** The features of a frame that was seen for so long. */
export function storeFeatures(frame: Frame, seenMs: number): WindowFeatures['stores'] {
  const stores = Object.entries(frame).map(([store, operations]) => {
    const summaries = Object.entries(operations).map(
      ([name, figures]) => [name, summarised(figures)] as const,
    )
    const whole = summaries.filter(([name]) => queryNamed(name) === undefined)
    // Transactions are made of calls that are counted themselves.
    const calls = whole.reduce((sum, [name, its]) => sum + (isOfCalls(name) ? 0 : its.calls), 0)
    const perSecond = (count: number): number => (seenMs === 0 ? 0 : (count * 1000) / seenMs)
    const features = summaries.map(([name, its]) => [
      name,
      {
        callsPerSecond: perSecond(its.calls),
        itemsPerSecond: perSecond(its.items),
        bytesPerSecond: perSecond(its.bytes),
        mix: calls === 0 || isOfCalls(name) ? 0 : its.calls / calls,
        errorShare: its.items === 0 ? 0 : its.failed / its.items,
        hitRate: its.hitRate,
        p50Ms: its.latency.p50Ms,
        p99Ms: its.latency.p99Ms,
        maxMs: its.latency.maxMs,
      } satisfies OperationFeatures,
    ])
    return [store, Object.fromEntries(features)]
  })
  return Object.fromEntries(stores)
}
