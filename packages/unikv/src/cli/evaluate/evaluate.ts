import { type StoreTarget, studyConfig } from '@unikv/bench'
import { StoreError } from '@unikv/core'
import { documentIn } from '@unikv/manager'
import { type KnownStore, knownStores, withFacts } from '@unikv/stores/knowledge'
import type { BenchRequest } from '../bench/bench-request.ts'
import { refuseSharedPlaces } from '../bench/places.ts'
import { type ProgressOptions, shownProgress } from '../bench/progress/progress-options.ts'
import { checkDisk } from '../disk-space.ts'
import { formatOf } from '../output-format.ts'
import type { NamedUrl } from '../versions.ts'
import { type Given, givenIn, screened } from './candidates.ts'
import { type Candidate, type EvaluationConfig, evaluation } from './study.ts'

/** The options of `unikv evaluate`. */
export interface EvaluateOptions extends ProgressOptions {
  readonly facts?: string
  readonly out: string
  readonly results?: string
  readonly allowNonEmpty?: boolean
  readonly json?: boolean
  readonly markdown?: boolean
  readonly dryRun?: boolean
}

/** A request whose candidates are screened, and who they are. */
export interface EvaluationRequest extends BenchRequest {
  readonly config: EvaluationConfig
}

/** The time for a candidate to answer: some make a table first, which takes long. */
const answerMs = 30_000

/**
 * Read a document and screen its candidates.
 *
 * @throws {StoreError} `INVALID_CONFIG`: the place of a mistake, what was found, and what is right
 */
export async function evaluationRequest(file: string, options: EvaluateOptions): Promise<EvaluationRequest> {
  const format = formatOf(options)
  const document = evaluation.documentOf(await documentIn(file), file)
  const known = await factsOf(options.facts)
  const given = givenIn(document, file, known)
  // Mistakes in the document are told before any store is asked.
  const planned = await evaluation.configured(document, file, given.map(asMeasured))
  const config = studyConfig(evaluation, planned.config)
  const check = (stores: readonly StoreTarget[]): void =>
    evaluation.check({ config, stores, caches: [], points: [] })
  check([])
  refuseSharedPlaces(given.flatMap(storesIn), [])
  const candidates = await screened(given, document, known, {
    file,
    timeoutMs: answerMs,
    isWritten: options.dryRun !== true,
    check: (target) => check([target]),
  })
  const final = await evaluation.configured(document, file, candidates)
  const { allowNonEmpty = false, out, results } = options
  return {
    study: evaluation,
    config: studyConfig(evaluation, { ...(final.config as object), allowNonEmpty }),
    stores: storesOf(given, candidates),
    caches: [],
    readers: [],
    data: ['synthetic'],
    compressibility: undefined,
    out,
    results,
    queue: undefined,
    warnings: final.warnings,
    format,
    ...shownProgress(options),
  }
}

async function factsOf(file: string | undefined): Promise<readonly KnownStore[]> {
  return file === undefined ? knownStores : withFacts(await documentIn(file), file)
}

function asMeasured({ name, kind, eventual }: Given): Candidate {
  return { name, kind, title: kind, state: 'measured', reasons: [], hasEventual: eventual !== undefined }
}

/** The stores to measure; eventual consistency has records of its own. */
function storesOf(given: readonly Given[], candidates: readonly Candidate[]): readonly NamedUrl[] {
  return given.flatMap((one) => {
    const candidate = candidates.find(({ name }) => name === one.name)
    if (candidate?.state !== 'measured') return []
    return storesIn(candidate.hasEventual ? one : { ...one, eventual: undefined })
  })
}

function storesIn({ name, url, eventual }: Given): readonly NamedUrl[] {
  if (url === undefined) return []
  if (eventual === undefined) return [{ name, url }]
  return [
    { name, url },
    { name: evaluation.eventualName({ name }), url: withDataset(eventual) },
  ]
}

function withDataset(url: string): string {
  if (/[?&]dataset=/.test(url)) return url
  return `${url}${url.includes('?') ? '&' : '?'}dataset=unikv_bench_eventual`
}

/**
 * Refuse an evaluation in which nothing is left to measure.
 *
 * @throws {StoreError} `UNAVAILABLE` if a candidate did not answer, or else `INVALID_CONFIG`
 */
export function checkMeasured({ stores, config }: EvaluationRequest): void {
  if (stores.length > 0) return
  const reasons = config.candidates.map(
    ({ name, reasons: [first = 'it has no URL.'] }) => `${name}: ${first}`,
  )
  const isUnreachable = config.candidates.some(({ state }) => state === 'unreachable')
  throw new StoreError(
    isUnreachable ? 'UNAVAILABLE' : 'INVALID_CONFIG',
    `No candidate is left to measure. ${reasons.join(' ')}`,
  )
}

/**
 * Refuse records that do not fit on a disk, before any is written.
 *
 * @throws {StoreError} `INVALID_CONFIG` with the sizes
 */
export function checkFits({ stores, config }: EvaluationRequest): Promise<void> {
  return checkDisk(stores, evaluation.leastBytes?.(config) ?? 0)
}
