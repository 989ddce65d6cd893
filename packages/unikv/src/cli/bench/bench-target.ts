import type { CacheTarget, StoreTarget } from '@unikv/bench'
import type { Bytes, Store } from '@unikv/core'
import { maskUrl, splitUrl } from '@unikv/stores/lazy'
import { datasets } from '../datasets.ts'
import { serverFacts } from '../server-facts.ts'
import { kindOf, type NamedUrl } from '../versions.ts'
import { openPlace } from './own-store.ts'
import type { CacheRequest } from './places.ts'

type ReaderTarget = NonNullable<StoreTarget['readers']>[number]

/** Open a store for a measurement, in `dataset` unless its URL names one, and note it in `opened`, to be closed. */
async function target(
  { name, url }: NamedUrl,
  dataset: string,
  opened: Store<Bytes>[],
): Promise<StoreTarget> {
  const options = optionsOf(url, dataset)
  const store = await openPlace(url, options)
  opened.push(store)
  return {
    name,
    url: maskUrl(url),
    store,
    server: () => serverFacts(kindOf(url), store.native),
    opener: openerOf(url, options),
  }
}

/** The same store with the meaning of its consistency levels, and further places where it can be read. */
export async function withReaders(
  target: StoreTarget,
  url: string,
  readers: readonly NamedUrl[],
): Promise<StoreTarget> {
  const { stores } = await import('@unikv/stores')
  const levels = stores.find(({ name }) => name === kindOf(url))?.consistency
  return { ...target, levels, readers: readers.map((one) => readerTarget(one, datasets.store)) }
}

/** A place that is opened when something is read there. */
function readerTarget({ name, url }: NamedUrl, dataset: string): ReaderTarget {
  return { name, url: maskUrl(url), opener: openerOf(url, optionsOf(url, dataset)) }
}

function optionsOf(url: string, dataset: string): { readonly dataset?: string } {
  return /[?&]dataset=/.test(url) ? {} : { dataset }
}

/** How a store is opened again, with the nodes over which its connections are spread. */
export function openerOf(url: string, options: object): ReaderTarget['opener'] {
  const module = import.meta.resolve('@unikv/stores/lazy')
  return () => ({ module, url, options: { ...options }, nodes: nodesOf(url) })
}

/** The nodes of a URL of Cassandra that names several, each by a URL whose statements go there. Drivers of other clusters choose nodes by the key. */
function nodesOf(url: string): NonNullable<ReturnType<ReaderTarget['opener']>['nodes']> {
  const { scheme, path, parameters } = splitUrl(url)
  const [, user = '', hosts = '', rest = ''] = /^\/\/([^/]*@)?([^/]*)(\/.*)?$/.exec(path) ?? []
  const names = hosts.split(',')
  if (kindOf(url) !== 'cassandra' || names.length < 2 || parameters.has('nodes')) return []
  const port = /:\d+$/.exec(hosts)?.[0] ?? ''
  const query = new URLSearchParams([...parameters, ['nodes', 'named']])
  return names.map((host) => {
    const name = /:\d+$/.test(host) ? host : host + port
    return { name, url: `${scheme}://${user}${name}${rest}?${String(query)}` }
  })
}

/** The targets of several URLs, in their order. */
export async function targets(
  named: readonly NamedUrl[],
  dataset: string,
  opened: Store<Bytes>[],
): Promise<StoreTarget[]> {
  const found: StoreTarget[] = []
  for (const one of named) found.push(await target(one, dataset, opened))
  return found
}

/** The same for caches. */
export async function cacheTargets(
  caches: readonly CacheRequest[],
  opened: Store<Bytes>[],
): Promise<CacheTarget[]> {
  const found: CacheTarget[] = []
  for (const cache of caches) {
    if ('url' in cache) found.push({ kind: 'remote', ...(await target(cache, datasets.cache, opened)) })
    else found.push({ kind: 'in-process', ...cache })
  }
  return found
}
