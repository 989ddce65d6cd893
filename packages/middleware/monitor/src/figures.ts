import { Histogram } from '@unikv/core/histogram'
import type { Operation } from './operation.ts'
import type { QueryName } from './query.ts'

/** Sums that grow as calls are answered. */
export interface Sums {
  /** Items that were answered, failed ones among them. */
  readonly items: number
  /** Answers that came after their caller had already been answered. */
  readonly late: number
  /** Items of reads that the store itself answered. */
  readonly misses: number
  /** Items of reads that are not there. */
  readonly absent: number
  /** Items of reads older than the freshness that was asked for. */
  readonly stale: number
  /** Items of writes whose condition did not hold. */
  readonly conditionsFailed: number
  /** Bytes of the values that passed a `traffic` layer. */
  readonly bytes: number
}

/** Answers of one kind, and how long those that were timed took. */
export interface Answers {
  readonly count: number
  /** In nanoseconds; `undefined`: none was timed. */
  readonly times: Histogram | undefined
}

/** One operation of a store in a span of time. Spans add up, and so do processes. */
export interface Figures extends Sums {
  /** Items that failed, by code. */
  readonly errors: Counts
  /** Items of reads that a cache answered, by tier. */
  readonly hits: Counts
  /** Calls that were answered without a promise: all are counted, some timed. */
  readonly atOnce: Answers
  /** Calls that were answered by promise: all are timed. */
  readonly awaited: Answers
}

/** The figures of one store by operation; and those of native calls once more by the attributes that they query. */
export type StoreFigures = { readonly [operation in Operation]?: Figures } & {
  readonly [query: QueryName]: Figures
}

/** The figures of the stores that were called, by name. */
export type Frame = { readonly [store: string]: StoreFigures }

const sumNames = ['items', 'late', 'misses', 'absent', 'stale', 'conditionsFailed', 'bytes'] as const

/** Sums of figures. */
function addFigures(all: readonly Figures[]): Figures {
  const [only] = all
  if (all.length === 1) return only as Figures
  const total = (name: (typeof sumNames)[number]): number => all.reduce((sum, one) => sum + one[name], 0)
  const sums = Object.fromEntries(sumNames.map((name) => [name, total(name)])) as unknown as Sums
  return {
    ...sums,
    errors: addCounts(all.map(({ errors }) => errors)),
    hits: addCounts(all.map(({ hits }) => hits)),
    atOnce: addAnswers(all.map(({ atOnce }) => atOnce)),
    awaited: addAnswers(all.map(({ awaited }) => awaited)),
  }
}

/** The difference of two readings of sums. */
export function sumsBetween(before: Sums, now: Sums): Sums {
  return Object.fromEntries(sumNames.map((name) => [name, now[name] - before[name]])) as unknown as Sums
}

/** The difference of two readings of counts by name; names without a change are left out. */
export function countsBetween(before: Counts, now: Counts): Counts {
  const changes = Object.entries(now).map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
  return Object.fromEntries(changes.filter(([, count]) => count > 0))
}

/** Frames added up. */
export function addFrames(frames: Iterable<Frame>): Frame {
  const found: { [store: string]: { [operation: string]: Figures[] } } = Object.create(null)
  for (const frame of frames) {
    for (const [store, operations] of Object.entries(frame)) {
      found[store] ??= {}
      const to = found[store]
      for (const [operation, figures] of Object.entries(operations)) {
        to[operation] ??= []
        to[operation].push(figures)
      }
    }
  }
  const sum: { [store: string]: StoreFigures } = Object.create(null)
  for (const [store, operations] of Object.entries(found))
    sum[store] = Object.fromEntries(Object.entries(operations).map(([name, all]) => [name, addFigures(all)]))
  return sum
}

/** Counts by name. */
export type Counts = { readonly [name: string]: number }

function addCounts(all: readonly Counts[]): Counts {
  const sum: { [name: string]: number } = Object.create(null)
  for (const counts of all)
    for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count
  return sum
}

function addAnswers(all: readonly Answers[]): Answers {
  const count = all.reduce((sum, one) => sum + one.count, 0)
  const timed = all.flatMap(({ times }) => times ?? [])
  const [first, ...others] = timed
  if (first === undefined || others.length === 0) return { count, times: first }
  const times = Histogram.from(first.data())
  for (const one of others) times.merge(one)
  return { count, times }
}
