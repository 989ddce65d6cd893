import { StoreError } from '@unikv/core'
import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { type DataSource, tryData } from '../data/data-source.ts'
import type { Crew } from '../drive/crew.ts'
import { atDistance } from '../relay/distant.ts'
import { type BenchInput, BenchRun, benchInputNames } from '../run/bench-run.ts'
import { listedTargets } from '../run/known-keys.ts'
import { environment } from '../run/machine.ts'
import type { BenchCell } from '../run/progress.ts'
import type { RunResult } from '../run/result.ts'
import { type CacheTarget, checkNames } from '../run/target.ts'
import { type CellStore, type Circumstances, KeptCells } from './kept-cells.ts'
import type { Judgement, Study, StudyContext, StudyRecord, StudyResult, StudySubject } from './study.ts'
import type { StudyConfig } from './study-config.ts'

/** The input of a study. */
export interface StudyInput<C extends StudyConfig, L extends BenchCell> extends BenchInput<L> {
  /** Made by `studyConfig`. */
  readonly config: C
  /** Caches to measure in front of the stores, for studies that take them. @default none */
  readonly caches?: readonly CacheTarget[] | undefined
  /** Where a study that `isResumable` keeps finished cells. @default nowhere */
  readonly cells?: CellStore | undefined
  /** A folder for the names of the keys that stores have which cannot list them. @default such stores are refused */
  readonly keysFolder?: string | undefined
  /** Workers elsewhere, for studies whose configuration asks for them. @default none */
  readonly crew?: Crew | undefined
  /**
   * Called after each cell, outside of all that is measured, with what makes the result so far. The next cell begins when it resolves; its errors
   * are ignored. @default not called
   */
  readonly betweenCells?: ((resultSoFar: () => StudyResult<C, object>) => Promise<void>) | undefined
}

const optionNames: OptionNames<StudyInput<StudyConfig, BenchCell>> = {
  ...benchInputNames,
  caches: true,
  cells: true,
  keysFolder: true,
  crew: true,
  betweenCells: true,
}

/**
 * Run a study. It works in a namespace of its own in every store and deletes exactly that.
 *
 * A run that is interrupted, or that fails after its first measured cell, still returns what it finished, with
 * `status` saying so.
 *
 * @throws {StoreError} `INVALID_CONFIG`, `INVALID_ARGUMENT` or `UNSUPPORTED` before anything is sent; the store's own
 * error if nothing was measured
 */
export async function runStudy<
  C extends StudyConfig,
  L extends BenchCell,
  R extends StudyRecord<L>,
  B extends object,
>(study: Study<C, L, R, B>, input: StudyInput<C, L>): Promise<StudyResult<C, B>> {
  checkFactoryOptions('runStudy', input, optionNames)
  return atDistance(input, (far) => listedStudy(study, { ...input, ...far }))
}

const unknownToOthers =
  'A store that cannot list its keys takes no --workers: the names of the keys that they write would not be known here.'

/** Stores that cannot list their keys are listed by what was written to them. */
async function listedStudy<
  C extends StudyConfig,
  L extends BenchCell,
  R extends StudyRecord<L>,
  B extends object,
>(study: Study<C, L, R, B>, input: StudyInput<C, L>): Promise<StudyResult<C, B>> {
  const { keysFolder, caches = [] } = input
  if (keysFolder === undefined || study.removesRecords === true) return studied(study, input)
  const { listed, forget, isAny } = listedTargets(keysFolder)
  const stores = input.stores.map(listed)
  const all = { ...input, stores, caches: caches.map((one) => (one.kind === 'remote' ? listed(one) : one)) }
  if (isAny() && input.crew !== undefined) throw new StoreError('UNSUPPORTED', unknownToOthers)
  return studied(study, all).finally(forget)
}

async function studied<
  C extends StudyConfig,
  L extends BenchCell,
  R extends StudyRecord<L>,
  B extends object,
>(study: Study<C, L, R, B>, input: StudyInput<C, L>): Promise<StudyResult<C, B>> {
  const { config, stores, caches = [], data } = input
  study.checkData?.(config, data)
  const subject = { config, stores, caches, points: study.points?.(config, data) ?? [] }
  checkSubject(study, subject)
  await tryData(data, subject.points)
  const leastMsOf = (cell: L): number => study.leastMsOf?.(cell, config) ?? 0
  const run = new BenchRun(input, { ...study, leastMsOf }, subject.points)
  const kept = new KeptCells(input.cells, circumstancesOf(study, input))
  const context = contextOf(subject, { data, crew: input.crew }, run, kept)
  const runner = await study.runner(context)
  const records: R[] = []
  const targets = [...stores, ...caches.filter((cache) => cache.kind === 'remote')]
  const resultOf = (told: RunResult): StudyResult<C, B> => {
    const body = study.aggregate(context, records)
    return {
      format: `unikv.bench-${study.name}`,
      formatVersion: study.formatVersion,
      ...told,
      ...judged(told, study.judge?.(body)),
      config: study.shown?.(config) ?? config,
      ...body,
    }
  }
  const soFar = (): StudyResult<C, B> => resultOf({ ...run.result(), status: 'interrupted' })
  const measureOne = async (cell: L): Promise<void> => {
    records.push(await runner.run(cell))
    if (cell.run > 0) await input.betweenCells?.(soFar).catch(() => {})
  }
  const isDone = (): boolean => study.isDone?.(subject, records) === true
  const work = { measureOne, isDone, finish: async () => runner.finish?.() }
  await run.measure(targets, study.plan(subject), work).finally(() => runner.close?.())
  return resultOf(run.result())
}

/** The judgement of a complete run, beside what its result tells already. */
function judged(
  { status, error }: Pick<RunResult, 'status' | 'error'>,
  judgement: Judgement | undefined,
): Partial<Judgement> {
  if (status !== 'complete' || judgement === undefined) return {}
  return { ...judgement, error: error === null ? judgement.error : `${judgement.error} ${error}` }
}

function checkSubject<C>(
  study: {
    readonly name: string
    readonly takesCaches?: boolean | undefined
    check(subject: StudySubject<C>): void
  },
  subject: StudySubject<C>,
): void {
  const { name, takesCaches = false } = study
  const { stores, caches } = subject
  if (stores.length === 0) throw new StoreError('INVALID_CONFIG', 'There is no store to measure.')
  if (caches.length > 0 && !takesCaches)
    throw new StoreError('INVALID_CONFIG', `The study ${name} does not measure caches. Leave them out.`)
  checkNames('store', stores)
  checkNames('cache', caches)
  study.check(subject)
}

function contextOf<C, L extends BenchCell>(
  subject: StudySubject<C>,
  { data, crew }: { readonly data: DataSource; readonly crew: Crew | undefined },
  run: BenchRun<L>,
  cells: KeptCells,
): StudyContext<C> {
  const { id: runId, namespaces, signal } = run
  return {
    ...subject,
    data,
    crew,
    runId,
    namespaces,
    signal,
    cells,
    report: (progress) => run.report(progress),
    serverOf: (target) => run.serverOf(target),
  }
}

function circumstancesOf(
  { name, formatVersion }: { readonly name: string; readonly formatVersion: number },
  { versions = {}, data: { kind, description } }: Pick<BenchInput<never>, 'versions' | 'data'>,
): Circumstances {
  return { study: name, formatVersion, environment: environment(), versions, data: { kind, description } }
}
