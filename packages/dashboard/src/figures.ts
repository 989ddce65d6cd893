import type {
  OperationSnapshot,
  ReadSnapshot,
  StoreSnapshot,
  TransactionSnapshot,
  WriteSnapshot,
} from '@unikv/monitor'
import type { KeptMoment } from './moments.ts'

/** One operation of a store since counting began. The page makes rates of two of these. */
export interface OperationFigures {
  readonly calls: number
  readonly items: number
  readonly underWay: number
  /** Items that failed. */
  readonly failed: number
  readonly errors: Readonly<Record<string, number>>
  /** Whether the times are of answers by promise, or of answers at once: those of which there were more. */
  readonly isAwaited: boolean
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  readonly maxMs: number
  /** Answers that came after the deadline of their caller. */
  readonly late: number
  /** Bytes of values, where a `traffic` layer counts them. */
  readonly bytes: number
  /** Reads alone: items that caches answered, by tier, and those that the store did. */
  readonly hits?: Readonly<Record<string, number>>
  readonly misses?: number | undefined
  readonly absent?: number | undefined
  readonly stale?: number | undefined
  /** Writes: items whose condition did not hold; transactions: conflicts. */
  readonly conditionsFailed?: number
  /** Transactions and recoveries alone: conflicts by store, and transactions by their end. */
  readonly conflicts?: Readonly<Record<string, number>>
  readonly outcomes?: Readonly<Record<string, number>>
}

/** The figures of all stores at one moment. */
export interface FiguresNow {
  /** For a while `api/figures?snapshot=` and `api/metrics?snapshot=` have the figures of this moment. */
  readonly snapshot: number
  readonly at: number
  /** When counting began. */
  readonly sinceAt: number
  readonly stores: Readonly<Record<string, Readonly<Record<string, OperationFigures>>>>
}

const operations = [
  'read',
  'set',
  'delete',
  'touch',
  'increment',
  'scan',
  'find',
  'native',
  'transaction',
  'recovery',
] as const

/** The figures of these stores (`undefined`: of all) at a moment. */
export function figuresAt(
  { id, moment: { snapshot } }: KeptMoment,
  shown: readonly string[] | undefined,
): FiguresNow {
  const { takenAt, sinceAt, stores } = snapshot
  const seen = Object.entries(stores).filter(([name]) => shown === undefined || shown.includes(name))
  const all = seen.map(([name, store]) => [name, figuresOf(store)] as const)
  return { snapshot: id, at: takenAt, sinceAt, stores: Object.fromEntries(all) }
}

function figuresOf(store: StoreSnapshot): Readonly<Record<string, OperationFigures>> {
  const known = operations.flatMap((name) => {
    const one = store[name]
    return one === undefined ? [] : [[name, operationOf(one)] as const]
  })
  return Object.fromEntries(known)
}

type AnyOperation = OperationSnapshot &
  Partial<ReadSnapshot> &
  Partial<WriteSnapshot> &
  Partial<TransactionSnapshot>

function operationOf(one: AnyOperation): OperationFigures {
  const { calls, items, underWay, errors, late, bytes, hits, misses, absent, stale, conditionsFailed } = one
  const isAwaited = one.awaited.count >= one.atOnce.count
  const { p50Ms, p99Ms, p999Ms, maxMs } = isAwaited ? one.awaited : one.atOnce
  const failed = Object.values(errors).reduce((sum, count) => sum + count, 0)
  const times = { isAwaited, p50Ms, p99Ms, p999Ms, maxMs }
  const reads = hits === undefined ? {} : { hits, misses, absent, stale }
  const writes = conditionsFailed === undefined ? {} : { conditionsFailed }
  const { conflicts, outcomes } = one
  const ends = conflicts === undefined || outcomes === undefined ? {} : { conflicts, outcomes }
  return { calls, items, underWay, failed, errors, ...times, late, bytes, ...reads, ...writes, ...ends }
}
