import {
  type Operation,
  type QueryName,
  queryNamed,
  type StoreFigures,
  type Summarised,
  summarised,
} from '@unikv/monitor'
import { windowMs } from '@unikv/monitor/recorder'

/** An operation, or the native calls that query by some attributes. */
export type Work = Operation | QueryName

/** A value for some operations and queries. */
export type ByWork<T> = { readonly [operation in Operation]?: T } & { readonly [query: QueryName]: T }

/** The load of one operation or query. */
export interface WorkFigures {
  readonly callsPerSecond: number
  readonly itemsPerCall: number
  readonly bytesPerCall: number
  readonly meanMs: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  readonly errorShare: number
  /** Share of reads that caches answered. */
  readonly hitRate: number
}

/** The load of a store. */
export type StoreWork = ByWork<WorkFigures>

/** The load of a store from its figures in a span of time. */
export function workOf(figures: StoreFigures, seenMs: number = windowMs['30s']): StoreWork {
  // Transactions consist of calls that are counted themselves.
  const entries = Object.entries(figures)
    .filter(([name]) => name !== 'transaction' && name !== 'recovery')
    .map(([name, its]) => [name, figuresOf(summarised(its), seenMs)])
  return Object.fromEntries(entries)
}

/** The load of one operation from its sums in a span of time. */
export function figuresOf(
  { calls, items, bytes, failed, hitRate, latency }: Summarised,
  seenMs: number,
): WorkFigures {
  const { meanMs, p50Ms, p99Ms, maxMs } = latency
  const per = (sum: number, count: number): number => (count === 0 ? 0 : sum / count)
  return {
    callsPerSecond: per(calls * 1000, seenMs),
    itemsPerCall: per(items, calls),
    bytesPerCall: per(bytes, calls),
    meanMs,
    p50Ms,
    p99Ms,
    maxMs,
    errorShare: per(failed, items),
    hitRate,
  }
}

/** Milliseconds of work in each second, of all operations. Queries are in those of `native`. */
export function busyMs(work: StoreWork, factors: Factors = {}): number {
  return Object.entries(work)
    .filter(([name]) => queryNamed(name) === undefined)
    .reduce(
      (sum, [name, its]) => sum + its.callsPerSecond * its.meanMs * factorOf(name as Work, work, factors),
      0,
    )
}

/** Latency after a change over latency before, by operation and query. */
export type Factors = ByWork<number>

/** The factor of an operation or query; that of `native` is made of those of its queries. */
export function factorOf(name: Work, work: StoreWork, factors: Factors): number {
  const own = factors[name]
  if (own !== undefined || name !== 'native') return own ?? 1
  const native = work['native']
  const time = (native?.callsPerSecond ?? 0) * (native?.meanMs ?? 0)
  if (time === 0) return 1
  return Object.entries(factors).reduce((factor, [query, its]) => {
    const figures = queryNamed(query) === undefined ? undefined : work[query as Work]
    const share = figures === undefined ? 0 : (figures.callsPerSecond * figures.meanMs) / time
    return factor - Math.min(1, share) * (1 - its)
  }, 1)
}

/** Operations of a sample: its queries are in those of `native`. */
export function operationsIn({ work }: { readonly work: ByWork<unknown> }): readonly Work[] {
  return (Object.keys(work) as Work[]).filter((name) => queryNamed(name) === undefined)
}

/** Whether a change concerns an operation. Its queries are in those of `native`. */
export function isConcerned(name: Work, concerns: readonly string[]): boolean {
  return concerns.includes(name) || (name === 'native' && concerns.some((one) => one.startsWith('by ')))
}
