import type { AnyStudy, Study, StudyResult } from '../study/study.ts'

/** A study, which is loaded when it is asked for. */
export interface ListedStudy {
  readonly name: StudyName
  /** One line of help. */
  readonly summary: string
  /** Load it, and what it measures with. */
  readonly load: () => Promise<AnyStudy>
}

const loaders = {
  load: async () => (await import('./load/load.ts')).load,
  run: async () => (await import('./run/run.ts')).run,
  sweep: async () => (await import('./sweep/sweep.ts')).sweep,
  replay: async () => (await import('./replay/replay.ts')).replay,
  sizes: async () => (await import('./sizes/sizes.ts')).sizes,
  deltas: async () => (await import('./deltas/deltas.ts')).deltas,
  overhead: async () => (await import('./overhead/overhead.ts')).overhead,
  consistency: async () => (await import('./consistency/consistency.ts')).consistency,
  evaluate: async () => (await import('./evaluation/index.ts')).evaluation,
  session: async () => (await import('./session/index.ts')).session,
}

/** An interface, so that the reference names it instead of listing its fields. */
interface Loaders extends Readonly<typeof loaders> {}

type StudyName = keyof Loaders

/** The studies that `unikv bench` has a command for, which follows from their configuration. */
export const studies: readonly ListedStudy[] = [
  {
    name: 'load',
    summary: 'load records that stay in stores as a table, for bench run --table',
    load: loaders.load,
  },
  {
    name: 'run',
    summary: 'drive stores with a mix of operations: throughput and latency of each',
    load: loaders.run,
  },
  {
    name: 'sweep',
    summary: 'throughput and latency over a range of callers, value sizes or another parameter',
    load: loaders.sweep,
  },
  { name: 'replay', summary: 'replay the requests of a recorded trace over stores', load: loaders.replay },
  {
    name: 'sizes',
    summary: 'read, write and delete latency by object size, reads through caches, encryption, compression',
    load: loaders.sizes,
  },
  {
    name: 'deltas',
    summary:
      'updates and reads with and without deltas, by object size and kind of edit, and whether to use deltas',
    load: loaders.deltas,
  },
  {
    name: 'overhead',
    summary: 'what unikv costs beside the native client of a store, as its records grow',
    load: loaders.overhead,
  },
  {
    name: 'consistency',
    summary: 'throughput at the consistency levels of a store, and how long reads stay stale',
    load: loaders.consistency,
  },
]

/** Studies that have a command of another form: `unikv evaluate`, and `unikv bench session`. */
export const documentStudies: readonly ListedStudy[] = [
  {
    name: 'evaluate',
    summary: 'which store serves an application, by its own scenarios and workload',
    load: loaders.evaluate,
  },
  {
    name: 'session',
    summary: 'sessions of an application’s users, from a document of one or more jobs',
    load: loaders.session,
  },
]

/** Load a study, and what it measures with. */
export function loadStudy<N extends StudyName>(name: N): Promise<StudyOf<N>> {
  return loaders[name]() as Promise<StudyOf<N>>
}

/** A study, by its name. */
export type StudyOf<N extends StudyName> = Awaited<ReturnType<Loaders[N]>>

/** The configuration of a study, such as `ConfigOf<'run'>`. */
export type ConfigOf<N extends StudyName> =
  StudyOf<N> extends Study<infer C, infer _L, infer _R, infer _B> ? C : never

/** The result of a study, such as `ResultOf<'run'>`: what `result.json` holds. */
export type ResultOf<N extends StudyName> =
  StudyOf<N> extends Study<infer C, infer _L, infer _R, infer B> ? StudyResult<C, B> : never
