import { type AnyStudy, configured, optionsOf, type StudyConfig } from '@unikv/bench'
import { StoreError } from '@unikv/core'
import { formatOf, type OutputFormat } from '../output-format.ts'
import { kindOf, type NamedUrl } from '../versions.ts'
import {
  type CacheRequest,
  cachesOf,
  ownCache,
  readersOf,
  refuseSharedPlaces,
  remoteCacheOf,
  storesOf,
} from './places.ts'
import { type ProgressOptions, type ShownProgress, shownProgress } from './progress/progress-options.ts'
import { type QueueRequest, queueRequest } from './queue.ts'

/** The options of a command below `bench` as commander gives them: these, and those of the study. */
export interface BenchOptions extends ProgressOptions {
  readonly store?: readonly string[]
  readonly cache?: readonly string[]
  readonly readFrom?: readonly string[]
  readonly data?: readonly string[]
  readonly compressibility?: number
  readonly out: string
  readonly results?: string
  readonly against?: string
  readonly turns?: number
  readonly failOnRegression?: boolean
  readonly json?: boolean
  readonly markdown?: boolean
  readonly format?: string
  readonly queue?: string
  readonly wait?: string
  /** The port of a page that shows the run; `true`: the usual one. */
  readonly dashboard?: number | true
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
  const { data = ['synthetic'], compressibility, out, results } = options
  const { config, warnings } = await configured(study, options)
  const preset = study.presets?.get(String(options['preset']))
  const stores = storesOf(options.store ?? preset?.stores)
  const usual = study.takesCaches === true ? [ownCache, ...remoteCacheOf(stores, preset?.remoteCaches)] : []
  const caches = cachesOf(options.cache ?? usual)
  const readers = readersOf(options.readFrom, stores)
  refuseSharedPlaces(stores, caches)
  const remarks = remarksOf(preset, { config, stores, caches })
  if (caches.length === 0) refuseWithoutCache(study, options)
  if (options.against === undefined) refuseWithoutBaseline(options)
  const queue = queueRequest(options, config)
  const format = formatOf(options, study)
  const places = { stores, caches, readers, out, results, queue }
  return {
    study,
    config,
    ...places,
    data,
    compressibility,
    warnings: [...warnings, ...remarks],
    format,
    ...shownProgress(options),
  }
}

type Preset = ReturnType<NonNullable<AnyStudy['presets']>['get']>

/** The remarks of a preset about places that are not opened yet. */
function remarksOf(
  preset: Preset,
  { config, stores, caches }: Pick<BenchRequest, 'config' | 'stores' | 'caches'>,
): readonly string[] {
  const subject = {
    config,
    stores: stores.map(({ name, url }) => ({ name, adapter: kindOf(url) })),
    caches: caches.map((cache) => ({
      name: cache.name,
      kind: 'url' in cache ? ('remote' as const) : ('in-process' as const),
    })),
  }
  return preset?.remarks(subject) ?? []
}

function refuseWithoutBaseline({ turns, failOnRegression }: BenchOptions): void {
  const flag = turns !== undefined ? 'turns' : failOnRegression === true ? 'fail-on-regression' : undefined
  if (flag === undefined) return
  throw new StoreError('INVALID_ARGUMENT', `--${flag} needs a baseline: add --against.`)
}

/** They say how much of the reads a cache answers. */
function refuseWithoutCache(study: AnyStudy, options: BenchOptions): void {
  const given = optionsOf(study).find(({ name, facts }) => facts.needsCache && options[name] !== undefined)
  if (given === undefined) return
  throw new StoreError('INVALID_ARGUMENT', `--${given.flag} needs a cache: leave out --cache none.`)
}
