import { type AnyStudy, type StudyConfig, studyConfig } from '@unikv/bench'
import { StoreError } from '@unikv/core'
import type { NamedUrl } from '../named-url.ts'
import { formatOf, type OutputFormat } from '../output-format.ts'
import { type Field, fieldsOf } from './fields.ts'
import { type CacheRequest, cacheRequests, readersOf, refuseSharedPlaces, storesOf } from './places.ts'
import { type ProgressOptions, type ShownProgress, shownProgress } from './progress/progress-options.ts'
import { type QueueRequest, queueRequest } from './queue-request.ts'

/** The options of a command below `bench` as commander gives them: these, and those of the study. */
export interface BenchOptions extends ProgressOptions {
  readonly store?: readonly string[]
  readonly cache?: readonly string[]
  readonly readFrom?: readonly string[]
  readonly data?: readonly string[]
  readonly compressibility?: number
  readonly out: string
  readonly results?: string
  readonly json?: boolean
  readonly markdown?: boolean
  readonly format?: string
  readonly queue?: string
  readonly wait?: string
  readonly debug?: boolean
  readonly [name: string]: unknown
}

/** The checked request, with nothing opened yet. */
export interface BenchRequest extends ShownProgress {
  readonly study: AnyStudy
  readonly config: StudyConfig
  readonly stores: readonly NamedUrl[]
  readonly caches: readonly CacheRequest[]
  /** Further places where the only store can be read. */
  readonly readers: readonly NamedUrl[]
  readonly data: readonly string[]
  readonly compressibility: number | undefined
  readonly out: string
  /** The URL of a store that keeps the result, too. */
  readonly results: string | undefined
  /** Where workers wait that share the run. */
  readonly queue: QueueRequest | undefined
  /** Sentences to print before the run. */
  readonly warnings: readonly string[]
  readonly format: OutputFormat
}

/**
 * Make sense of the options.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` or `INVALID_CONFIG`, in one sentence
 */
export async function benchRequest(study: AnyStudy, options: BenchOptions): Promise<BenchRequest> {
  const { data = ['synthetic'], cache = [], compressibility, out, results } = options
  const stores = storesOf(options.store)
  const caches = cache.flatMap(cacheRequests)
  const readers = readersOf(options.readFrom, stores)
  refuseSharedPlaces(stores, caches)
  const given = givenOf(study, options)
  const { config: input, warnings } = (await study.configure?.(given)) ?? { config: given, warnings: [] }
  const config = studyConfig(study, input)
  if (caches.length === 0) refuseWithoutCache(study, options)
  const queue = queueRequest(options, config)
  const format = formatOf(options, study)
  const places = { stores, caches, readers, out, results, queue }
  return { study, config, ...places, data, compressibility, warnings, format, ...shownProgress(options) }
}

/** The given values, by the names of the fields. */
function givenOf(study: AnyStudy, options: BenchOptions): Record<string, unknown> {
  const config: Record<string, unknown> = {}
  for (const field of fieldsOf(study)) {
    const given = options[field.name]
    if (given !== undefined) put(config, field.path, valueOf(study, field, given))
  }
  return config
}

function put(
  config: Record<string, unknown>,
  [name = '', ...below]: readonly string[],
  value: unknown,
): void {
  if (below.length === 0) config[name] = value
  else put((config[name] ??= {}) as Record<string, unknown>, below, value)
}

function valueOf({ texts = {} }: AnyStudy, { name, flag, schema }: Field, given: unknown): unknown {
  const form = texts[name]
  if (form?.isRepeatable === true) return (given as readonly string[]).map(form.parse)
  if (form !== undefined) return form.parse(given as string)
  const { enum: known } = schema.items ?? {}
  return known === undefined ? given : listOf(`--${flag}`, given as readonly string[], known)
}

/** They say how much of the reads a cache answers. */
function refuseWithoutCache(study: AnyStudy, options: BenchOptions): void {
  const names = study.ofCaches ?? []
  const given = fieldsOf(study).find(({ name }) => names.includes(name) && options[name] !== undefined)
  if (given === undefined) return
  throw new StoreError(
    'INVALID_ARGUMENT',
    `--${given.flag} needs a cache: add --cache memory, or the URL of a store.`,
  )
}

/** Names of an option, each known and once. */
function listOf(option: string, given: readonly string[], known: readonly string[]): string[] {
  const names = given.flatMap((part) => part.split(',')).map((name) => name.trim())
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return [...new Set(names)]
  throw new StoreError(
    'INVALID_ARGUMENT',
    `${option}: '${unknown}' is unknown; known are ${known.join(', ')}.`,
  )
}
