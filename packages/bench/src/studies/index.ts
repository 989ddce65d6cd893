import type { AnyStudy } from '../study/study.ts'

/** A study, which is loaded when it is asked for. */
export interface ListedStudy {
  readonly name: string
  /** One line of help. */
  readonly summary: string
  /** Load it, and what it measures with. */
  readonly load: () => Promise<AnyStudy>
}

/** The studies that `unikv bench` has a command for, which follows from their configuration. */
export const studies: readonly ListedStudy[] = [
  {
    name: 'load',
    summary: 'load records that stay in stores as a table, for bench run --table',
    load: async () => (await import('./load/index.ts')).load,
  },
  {
    name: 'run',
    summary: 'drive stores with a mix of operations: throughput and latency of each',
    load: async () => (await import('./run/index.ts')).run,
  },
  {
    name: 'sweep',
    summary: 'throughput and latency over a range of callers, value sizes or another parameter',
    load: async () => (await import('./sweep/index.ts')).sweep,
  },
  {
    name: 'replay',
    summary: 'replay the requests of a recorded trace over stores',
    load: async () => (await import('./replay/index.ts')).replay,
  },
  {
    name: 'sizes',
    summary: 'read, write and delete latency by object size, reads through caches, encryption, compression',
    load: async () => (await import('./sizes/index.ts')).sizes,
  },
  {
    name: 'deltas',
    summary:
      'updates and reads with and without deltas, by object size and kind of edit, and whether to use deltas',
    load: async () => (await import('./deltas/index.ts')).deltas,
  },
  {
    name: 'overhead',
    summary: 'what unikv costs beside the native client of a store, as its records grow',
    load: async () => (await import('./overhead/index.ts')).overhead,
  },
  {
    name: 'consistency',
    summary: 'throughput at the consistency levels of a store, and how long reads stay stale',
    load: async () => (await import('./consistency/index.ts')).consistency,
  },
]

/** Studies that have a command of another form: `unikv evaluate`, and `unikv bench session`. */
export const documentStudies: readonly ListedStudy[] = [
  {
    name: 'evaluate',
    summary: 'which store serves an application, by its own scenarios and workload',
    load: async () => (await import('./evaluation/index.ts')).evaluation,
  },
  {
    name: 'session',
    summary: 'sessions of an application’s users, from a document of one or more jobs',
    load: async () => (await import('./session/index.ts')).session,
  },
]
