import type { z } from 'zod'
import type { DataSource, SizePoint } from '../data/data-source.ts'
import type { Crew } from '../drive/crew.ts'
import type { BenchCell, CellProgress } from '../run/progress.ts'
import type { RunResult } from '../run/result.ts'
import type { RunNamespace } from '../run/run-namespace.ts'
import type { CacheTarget, StoreTarget } from '../run/target.ts'
import type { KeptCells } from './kept-cells.ts'
import type { StudyConfig } from './study-config.ts'
import type { StudyReport } from './study-report.ts'

/** The plan of measurements, before anything is sent. */
export interface StudySubject<C> {
  readonly config: C
  readonly stores: readonly StoreTarget[]
  readonly caches: readonly CacheTarget[]
  /** Places on the size axis. */
  readonly points: readonly SizePoint[]
}

/** State that all cells of a run share. */
export interface StudyContext<C> extends StudySubject<C> {
  readonly runId: string
  readonly data: DataSource
  /** Workers elsewhere. */
  readonly crew: Crew | undefined
  /** The run's own namespace in each store and remote cache. */
  readonly namespaces: ReadonlyMap<StoreTarget, RunNamespace>
  readonly signal: AbortSignal
  /** Cells that an earlier start finished; a study that `isResumable` looks there before it measures. */
  readonly cells: KeptCells
  /** Tell what goes on within a cell that takes long. */
  readonly report: (progress: CellProgress) => void
  /** Facts that the server of a target reports about itself. */
  serverOf(target: StoreTarget): Readonly<Record<string, string>>
}

/** A finished cell and what it measured. */
export interface StudyRecord<L extends BenchCell> {
  readonly cell: L
}

/** The input of a configuration, made from options. */
export interface Configured {
  readonly config: unknown
  /** Sentences for the user about options that do not apply. */
  readonly warnings: readonly string[]
}

/** A complete run that is not what it should be. */
export interface Judgement {
  /** `invalid`: it says nothing about the stores. `crossed`: a threshold was crossed. */
  readonly status: 'invalid' | 'crossed'
  /** In one or more sentences. */
  readonly error: string
}

/** Measures cells. */
export interface CellRunner<L, R> {
  /** @throws the first error of the store, or the reason of the signal */
  run(cell: L): Promise<R>
  /**
   * Undo what the cells prepared, before the run's namespaces are removed, however the measuring ended. A failure makes the run
   * a failed one, and the measurements are kept. @default nothing to undo
   */
  finish?(): Promise<void>
  /** Release what the cells needed, however the run ended. @default nothing to release */
  close?(): Promise<void>
}

/** A run that was measured, or is about to be. */
export interface PresetSubject<C> {
  readonly config: C
  readonly stores: readonly { readonly name: string; readonly adapter: string }[]
  readonly caches: readonly { readonly name: string; readonly kind: CacheTarget['kind'] }[]
}

/** Defaults of a command that names this preset. */
export interface StudyPreset<C> {
  /** For options that are not given. */
  readonly config: object
  /** URLs of stores, where none is named. */
  readonly stores: readonly string[]
  /** Kinds of stores: where no cache is named, the first store of one of them is a remote cache of all, too. */
  readonly remoteCaches: readonly string[]
  /** Sentences for the user before the run. */
  remarks(subject: PresetSubject<C>): readonly string[]
}

/**
 * A study: what `unikv bench <name>` measures and how it tells what it found. The command line, the configuration, the
 * result folder, the page and the text derive from it.
 */
export interface Study<
  C extends StudyConfig,
  L extends BenchCell,
  R extends StudyRecord<L>,
  B extends object,
> {
  readonly name: string
  /** The command that runs it. @default `unikv bench` and its name */
  readonly command?: string | undefined
  /** Commands that the help shows, without `unikv bench` and the name. @default none */
  readonly examples?: readonly string[] | undefined
  /** An object whose fields are options: the command line, its help, the checks and the table of the guide follow from it. */
  readonly config: z.ZodType<C>
  /** Options that the configuration is made from, and that do not stand in it, such as a file. @default none */
  readonly sources?: z.ZodType | undefined
  /** Presets, by the values of the option `preset`. @default none */
  readonly presets?: ReadonlyMap<string, StudyPreset<C>> | undefined
  /** Whether it measures caches. @default false */
  readonly takesCaches?: boolean | undefined
  /** Whether it reads stores at further places, such as replicas. @default false */
  readonly takesReaders?: boolean | undefined
  /** Whether it keeps finished cells, so that a second start goes on. @default false */
  readonly isResumable?: boolean | undefined
  /**
   * Whether it goes on without a store that it lost. Then such a run is complete, and its result tells which stores still hold what it
   * wrote. @default false
   */
  readonly goesOnWithoutStores?: boolean | undefined
  /** Whether it removes its records by itself, so that it can measure stores that cannot list their keys. @default false */
  readonly removesRecords?: boolean | undefined
  /** Version of `body`. */
  readonly formatVersion: number
  /** The fields of a result that are its own. */
  readonly body: { readonly [K in keyof B]: z.ZodType<B[K]> }
  readonly report: StudyReport<StudyResult<C, B>>
  /**
   * Make the input of `config` from the options that were given, and from the sources.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` or `INVALID_CONFIG`
   * @default the options are the input
   */
  configure?(
    given: Readonly<Record<string, unknown>>,
    sources: Readonly<Record<string, unknown>>,
  ): Promise<Configured>
  /** Places on the size axis. @default none: a study without such an axis */
  points?(config: C, data: DataSource): readonly SizePoint[]
  /** Refuse data that cannot give the values. @throws {StoreError} `INVALID_ARGUMENT` */
  checkData?(config: C, data: DataSource): unknown
  /**
   * Refuse, before anything is sent, what could only fail later.
   *
   * @throws {StoreError} `INVALID_CONFIG`, `INVALID_ARGUMENT` or `UNSUPPORTED`
   */
  check(subject: StudySubject<C>): void
  /** Bytes that it writes to each store at least. @default it is not known */
  leastBytes?(config: C): number
  /** All cells in the order in which they are measured. */
  plan(subject: StudySubject<C>): readonly L[]
  /** Equal for cells of several runs that do the same. */
  nameOf(cell: L): string
  /** A cell takes no less. @default it is not known */
  leastMsOf?(cell: L, config: C): number
  /** Whether cells that are left would add nothing. @default never */
  isDone?(subject: StudySubject<C>, records: readonly R[]): boolean
  /** The cell in words, for the progress bar. */
  labelOf(cell: L): string
  /** The runner that measures the cells, one after the other. A report of a result is made without loading it. */
  runner(context: StudyContext<C>): Promise<CellRunner<L, R>>
  /** The configuration as its result shows it, without secrets. @default as it is */
  shown?(config: C): C
  /** The fault of a complete run; `undefined`: none. @default none */
  judge?(body: B): Judgement | undefined
  /** Combine the cells. A cell without a measured run is left out, never shown as zero. */
  aggregate(context: StudyContext<C>, records: readonly R[]): B
}

/** Everything that one run of a study found: `result.json`. */
export type StudyResult<C, B> = RunResult & StudyFormat & { readonly config: C } & B

/** The type of a result. */
export interface StudyFormat {
  /** `unikv.bench-` and the name of the study. */
  readonly format: string
  readonly formatVersion: number
}

/** A study as tools see it that work with any. */
export type AnyStudy = Study<StudyConfig, BenchCell, StudyRecord<BenchCell>, object>

/** A result as tools see it that work with any. */
export type AnyResult = StudyResult<StudyConfig, object>
