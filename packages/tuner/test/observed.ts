import { Histogram } from '@unikv/core/histogram'
import type { Figures, StoreFigures } from '@unikv/monitor'
import type { ProcessLoad } from '@unikv/monitor/recorder'
import type { Subject } from '../src/learn/features/subject.ts'
import { vectorOf } from '../src/learn/features.ts'
import { type Observation, Observations } from '../src/observe/observations.ts'

/** Length of an observed window. */
const windowLengthMs = 5000

/** Figures of calls that all take the same time. */
export function figuresOf(
  calls: number,
  ms: number,
  { failed = 0, hits = 0, bytes = 0 }: { failed?: number; hits?: number; bytes?: number } = {},
): Figures {
  const times = new Histogram({ precisionBits: 6 })
  for (let i = 0; i < calls; i += 1) times.record(ms * 1e6)
  const none = { late: 0, absent: 0, stale: 0, conditionsFailed: 0 }
  return {
    ...none,
    items: calls,
    misses: calls - hits,
    bytes,
    errors: failed === 0 ? {} : { UNAVAILABLE: failed },
    hits: hits === 0 ? {} : { cache: hits },
    atOnce: { count: 0, times: undefined },
    awaited: { count: calls, times },
  }
}

/** A window of the store `users`, which ends `at`. */
export function observationOf(at: number, users: StoreFigures, more: Partial<Observation> = {}): Observation {
  return { at, lengthMs: windowLengthMs, frame: { users }, servers: {}, processes: 1, ...more }
}

/** How busy a process is. */
export function loadOf(cpuShare: number): ProcessLoad {
  return {
    cpuShare,
    loopShare: cpuShare / 2,
    loopDelayMs: 20 * cpuShare,
    memoryBytes: 1e8,
    memoryShare: 0.1,
    heapBytes: 5e7,
    heapShare: 0.05,
  }
}

/** The store `users`, seen in windows that are alike. */
export function subjectOf(
  users: StoreFigures,
  more: Partial<Subject> & { readonly window?: Partial<Observation>; readonly windows?: number } = {},
): Subject {
  const { window, windows = 60, ...others } = more
  const observations = new Observations()
  for (let i = 1; i <= windows; i += 1)
    observations.add(observationOf(1e12 + i * windowLengthMs, users, window))
  return {
    store: 'users',
    kind: 'postgres',
    observations,
    configuration: {},
    policies: [],
    brokenSince: () => undefined,
    actions: [],
    now: 1e12 + windows * windowLengthMs,
    ...others,
  }
}

/** The vector of the store `users`. */
export function vectorFrom(...given: Parameters<typeof subjectOf>): Float64Array {
  return vectorOf(subjectOf(...given))
}
