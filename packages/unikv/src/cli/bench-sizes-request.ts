import { StoreError } from '@unikv/core'
import { maskUrl, splitUrl } from '@unikv/stores/lazy'
import {
  type CompressionAlgorithm,
  compressionAlgorithms,
  type EncryptionAlgorithm,
  encryptionAlgorithms,
  parseHitRates,
  parseSizes,
  type ShareMode,
  type SizesConfig,
  sizesConfig,
} from '@unikv/workload'
import type { BenchRequest, OutputFormat } from './bench-run.ts'
import { datasets } from './datasets.ts'
import type { NamedUrl } from './named-url.ts'
import { mannerOf, placeOf } from './same-place.ts'

/** The options of `unikv bench sizes` as commander gives them. */
export interface BenchSizesOptions {
  readonly store?: readonly string[]
  readonly cache?: readonly string[]
  readonly sizes: string
  readonly data?: readonly string[]
  readonly compressibility?: number
  readonly operations?: number
  readonly runs: number
  readonly parallel: number
  readonly hitRates?: string
  readonly measureHitRates?: boolean
  readonly encryption?: readonly string[]
  readonly compression?: readonly string[]
  readonly seed: number
  readonly timeoutMs: number
  readonly allowNonEmpty?: boolean
  readonly out: string
  readonly json?: boolean
  readonly markdown?: boolean
  readonly quiet?: boolean
  readonly debug?: boolean
}

/** What is to be done, checked, and nothing opened yet. */
export interface BenchSizesRequest extends BenchRequest {
  readonly config: SizesConfig
  readonly stores: readonly NamedUrl[]
  readonly caches: readonly CacheRequest[]
  readonly out: string
}

/** A cache: in this process, or a store. */
export type CacheRequest = { readonly name: string; readonly share: ShareMode } | NamedUrl

/**
 * Make sense of the options.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` or `INVALID_CONFIG`, in one sentence
 */
export function benchSizesRequest(options: BenchSizesOptions): BenchSizesRequest {
  const { data = ['synthetic'], cache = [], compressibility, out } = options
  const stores = storesOf(options.store)
  const caches = cache.flatMap(cacheRequests)
  refuseSharedPlaces(stores, caches)
  const config = sizesConfig({
    sizes: options.sizes.trim() === 'files' ? 'files' : parseSizes(options.sizes),
    operations: options.operations ?? 'auto',
    runs: options.runs,
    parallel: options.parallel,
    hitRates: parseHitRates(options.hitRates ?? '0,25,50,75,100'),
    measureHitRates: options.measureHitRates ?? false,
    encryption: listOf<EncryptionAlgorithm>('--encryption', options.encryption, encryptionAlgorithms),
    compression: listOf<CompressionAlgorithm>('--compression', options.compression, compressionAlgorithms),
    seed: options.seed,
    timeoutMs: options.timeoutMs,
    allowNonEmpty: options.allowNonEmpty ?? false,
  })
  if (caches.length === 0) refuseHitRates(options)
  return { config, stores, caches, data, compressibility, out, ...outputOf(options) }
}

/** They say how much of the reads a cache answers. */
function refuseHitRates({ hitRates, measureHitRates }: BenchSizesOptions): void {
  if (hitRates === undefined && measureHitRates !== true) return
  const option = hitRates === undefined ? '--measure-hit-rates' : '--hit-rates'
  throw new StoreError(
    'INVALID_ARGUMENT',
    `${option} needs a cache: add --cache memory, or the URL of a store.`,
  )
}

/** Not left to commander, which would tell of it before it tells of a misspelled `--store`. */
export function storesOf(given: readonly string[] = []): NamedUrl[] {
  if (given.length === 0)
    throw new StoreError('INVALID_ARGUMENT', "required option '--store <[name=]url>' not specified")
  return given.map(namedUrl)
}

/** How results are printed, and whether progress is. */
export function outputOf(options: {
  readonly json?: boolean
  readonly markdown?: boolean
  readonly quiet?: boolean
}): Pick<BenchRequest, 'format' | 'isQuiet'> {
  const { json = false, markdown = false, quiet: isQuiet = false } = options
  return { format: formatOf({ json, markdown }), isQuiet }
}

/**
 * The one format that is asked for.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if both are
 */
export function formatOf({
  json,
  markdown,
}: {
  readonly json: boolean
  readonly markdown: boolean
}): OutputFormat {
  if (json && markdown) throw new StoreError('INVALID_ARGUMENT', 'Choose --json or --markdown, not both.')
  if (json) return 'json'
  return markdown ? 'markdown' : 'text'
}

/** `[name=]URL`; without a name the scheme is one. */
function namedUrl(text: string): NamedUrl {
  const match = /^([^=:/?]+)=(.*)$/s.exec(text)
  const url = match?.[2] ?? text
  const { scheme } = splitUrl(url)
  if (scheme === '') throw noUrl(text)
  return { name: match?.[1] ?? scheme.replace('+', '-'), url }
}

function noUrl(text: string): StoreError {
  const message = `'${maskUrl(text)}' is no store URL: it begins with a scheme, such as file:./data or redis://127.0.0.1.`
  return new StoreError('INVALID_ARGUMENT', message)
}

/**
 * `memory` is a cache in this process, once as the paper has it (objects by reference) and once in the safe
 * default mode; `memory?share=copy` is one mode alone; anything else is a store.
 */
function cacheRequests(text: string): CacheRequest[] {
  const match = /^(?:([^=:/?]+)=)?memory:?(?:\?share=(.*))?$/.exec(text)
  if (match === null) return [namedUrl(text)]
  const name = match[1] ?? 'memory'
  const share = match[2]
  if (share === undefined) {
    return [
      { name, share: 'reference' },
      { name: `${name}-freeze`, share: 'freeze' },
    ]
  }
  if (share === 'reference' || share === 'freeze' || share === 'copy')
    return [{ name: match[1] ?? `memory-${share}`, share }]
  throw new StoreError('INVALID_ARGUMENT', 'share of a cache in memory must be reference, freeze or copy.')
}

/** A store that is its own cache would be measured against itself. */
export function refuseSharedPlaces(stores: readonly NamedUrl[], caches: readonly CacheRequest[]): void {
  const seen = new Map<string, { readonly name: string; readonly url: string }[]>()
  const check = ({ name, url }: NamedUrl, dataset: string, isSame: (other: string) => boolean): void => {
    if (splitUrl(url).scheme === 'memory') return
    const place = placeOf(url, dataset)
    const others = seen.get(place) ?? []
    const twin = others.find((other) => isSame(other.url))
    if (twin !== undefined) throw sharedPlace(twin.name, name)
    seen.set(place, [...others, { name, url }])
  }
  // One store may be measured by two drivers, in a namespace each; a cache would hold the records of its store.
  for (const store of stores) check(store, datasets.store, (other) => mannerOf(other) === mannerOf(store.url))
  for (const cache of caches) if ('url' in cache) check(cache, datasets.cache, () => true)
}

function sharedPlace(one: string, other: string): StoreError {
  return new StoreError(
    'INVALID_ARGUMENT',
    `${one} and ${other} are the same place: each needs one of its own.`,
  )
}

/** Names of an option, each known and once. */
export function listOf<T extends string>(
  option: string,
  given: readonly string[] | undefined,
  known: readonly T[],
): T[] {
  const names = (given ?? []).flatMap((part) => part.split(',')).map((name) => name.trim())
  const unknown = names.find((name) => !known.includes(name as T))
  if (unknown === undefined) return [...new Set(names as T[])]
  throw new StoreError(
    'INVALID_ARGUMENT',
    `${option}: '${unknown}' is unknown; known are ${known.join(', ')}.`,
  )
}
