import { basename, extname } from 'node:path'
import type { CacheTarget } from '@unikv/bench'
import { StoreError } from '@unikv/core'
import { maskUrl, splitUrl } from '@unikv/stores/lazy'
import { datasets } from '../datasets.ts'
import { mannerOf, placeOf } from '../same-place.ts'
import { kindOf, type NamedUrl } from '../versions.ts'
import { ownStoreUrl } from './own-store.ts'

/** A cache: in this process, or a store. */
export type CacheRequest = Omit<Extract<CacheTarget, { readonly kind: 'in-process' }>, 'kind'> | NamedUrl

/** Not left to commander, which would tell of it before it tells of a misspelled `--store`. */
export function storesOf(given: readonly string[] = []): NamedUrl[] {
  if (given.length === 0)
    throw new StoreError('INVALID_ARGUMENT', "required option '--store <[name=]url>' not specified")
  return given.map(namedUrl)
}

/**
 * The places of `--read-from`. Without a name the host is one.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` beside several stores, as it is not known whose place it is
 */
export function readersOf(given: readonly string[] = [], stores: readonly NamedUrl[]): NamedUrl[] {
  if (given.length > 0 && stores.length > 1)
    throw new StoreError(
      'INVALID_ARGUMENT',
      '--read-from names places of one store. Measure several stores one after the other.',
    )
  return given.map((text) => {
    const { name, url } = namedUrl(text)
    return text === url ? { name: hostOf(url), url } : { name, url }
  })
}

/** The part of a URL that tells two replicas apart, without a user. */
function hostOf(url: string): string {
  const [, host = ''] = /^[^:]+:\/\/(?:[^@/?]*@)?([^/?]*)/s.exec(url) ?? []
  return host === '' ? maskUrl(url) : host
}

/** `[name=]URL`; without a name the scheme is one, and of the user's own file its name. */
function namedUrl(text: string): NamedUrl {
  const match = /^([^=:/?]+)=(.*)$/s.exec(text)
  const url = match?.[2] ?? text
  const own = ownStoreUrl(url)
  if (own !== undefined) return { name: match?.[1] ?? nameOf(url), url: own }
  const { scheme } = splitUrl(url)
  if (scheme === '') throw noUrl(text)
  return { name: match?.[1] ?? scheme.replace('+', '-'), url }
}

/** A name for tables and files: `my-store` of `./lib/my-store.ts`. */
function nameOf(file: string): string {
  const plain = basename(file, extname(file)).replace(/[^A-Za-z0-9_-]+/g, '-')
  return plain.replace(/^[-_]+/, '').slice(0, 32) || 'store'
}

function noUrl(text: string): StoreError {
  const message = `'${maskUrl(text)}' is not a store URL. Begin it with a scheme, such as file:./data or redis://127.0.0.1, or name a module of yours, such as ./my-store.ts.`
  return new StoreError('INVALID_ARGUMENT', message)
}

/** The cache where none is named: in this process, as the paper has it. */
export const ownCache = 'memory=memory?share=reference'

/** The server of the first store of these kinds as a remote cache of all, in a dataset of its own; none if there is no such store. */
export function remoteCacheOf(stores: readonly NamedUrl[], kinds: readonly string[] = []): readonly string[] {
  const found = stores.find(({ url }) => kinds.includes(kindOf(url)))
  return found === undefined ? [] : [`remote=${found.url.replace(/([?&]dataset=[^&#]*)/, '$1_cache')}`]
}

/**
 * The caches of `--cache`; `none` stands for none.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function cachesOf(given: readonly string[]): CacheRequest[] {
  if (!given.includes('none')) return given.flatMap(cacheRequests)
  if (given.length === 1) return []
  throw new StoreError('INVALID_ARGUMENT', '--cache none stands alone: leave it out, or the other caches.')
}

/**
 * `memory` is a cache in this process, once as the paper has it (objects by reference) and once in the safe
 * default mode; `memory?share=copy` is one mode alone; anything else is a store.
 */
function cacheRequests(text: string): CacheRequest[] {
  const match = /^(?:([^=:/?]+)=)?memory:?(?:\?(.*))?$/s.exec(text)
  if (match === null) return [namedUrl(text)]
  const name = match[1] ?? 'memory'
  const { share, ...others } = Object.fromEntries(new URLSearchParams(match[2]))
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new StoreError(
      'INVALID_ARGUMENT',
      `A memory cache has no parameter '${other}': it takes share alone.`,
    )
  if (share === undefined) {
    return [
      { name, share: 'reference' },
      { name: `${name}-freeze`, share: 'freeze' },
    ]
  }
  if (share === 'reference' || share === 'freeze' || share === 'copy')
    return [{ name: match[1] ?? `memory-${share}`, share }]
  throw new StoreError('INVALID_ARGUMENT', 'The share of a memory cache must be reference, freeze or copy.')
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
    `${one} and ${other} are the same place. Use a different place for each.`,
  )
}
