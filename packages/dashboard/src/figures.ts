import type { LatencySnapshot, OperationSnapshot, ReadSnapshot, StoreSnapshot } from '@unikv/monitor'
import type { ShownManager } from './options.ts'

/** One operation of a store since counting began. The page makes rates of two of these. */
export interface OperationFigures {
  readonly calls: number
  readonly items: number
  readonly underWay: number
  /** Items that failed. */
  readonly failed: number
  readonly errors: Readonly<Record<string, number>>
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly maxMs: number
  /** Reads alone: items that caches answered, by tier, and those that the store did. */
  readonly hits?: Readonly<Record<string, number>>
  readonly misses?: number
}

/** The figures of all stores at one moment. */
export interface FiguresNow {
  readonly at: number
  /** When counting began. */
  readonly sinceAt: number
  readonly stores: Readonly<Record<string, Readonly<Record<string, OperationFigures>>>>
}

const operations = ['read', 'set', 'delete', 'touch', 'increment', 'scan', 'native'] as const

/** The figures of these stores (`undefined`: of all), by the monitor of a manager; `undefined`: it has none. */
export function figuresNow(
  { monitor }: ShownManager,
  shown: readonly string[] | undefined,
): FiguresNow | undefined {
  if (monitor === undefined) return undefined
  const { takenAt, sinceAt, stores } = monitor.snapshot()
  const seen = Object.entries(stores).filter(([name]) => shown === undefined || shown.includes(name))
  const all = seen.map(([name, store]) => [name, figuresOf(store)] as const)
  return { at: takenAt, sinceAt, stores: Object.fromEntries(all) }
}

function figuresOf(store: StoreSnapshot): Readonly<Record<string, OperationFigures>> {
  const known = operations.flatMap((name) => {
    const one = store[name]
    return one === undefined ? [] : [[name, operationOf(one)] as const]
  })
  return Object.fromEntries(known)
}

function operationOf(one: OperationSnapshot & Partial<ReadSnapshot>): OperationFigures {
  const { calls, items, underWay, errors, hits, misses } = one
  const { p50Ms, p99Ms, p999Ms, maxMs } = timesOf(one)
  const failed = Object.values(errors).reduce((sum, count) => sum + count, 0)
  const reads = hits === undefined || misses === undefined ? {} : { hits, misses }
  return { calls, items, underWay, failed, errors, p50Ms, p99Ms, p999Ms, maxMs, ...reads }
}

/** Those of the kind of answers of which there were more. */
function timesOf({ atOnce, awaited }: OperationSnapshot): LatencySnapshot {
  return awaited.count >= atOnce.count ? awaited : atOnce
}
