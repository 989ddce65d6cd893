import type { AnyStack } from '@unikv/core/adapter'
import { type AnyKeyValue, http } from '@unikv/http'
import { type Access, Refused, type Served, seesStore, served } from '@unikv/http/parts'
import type { Hono } from 'hono'
import { isSealed } from '../entry.ts'
import type { Parts } from '../parts.ts'
import type { AskedOf } from './asked.ts'
import { entryRoutes } from './entry.ts'
import { treeRoutes } from './tree.ts'

/** Single records, through all layers. */
export function dataRoutes(app: Hono, parts: Parts): void {
  const places = new WeakMap<object, Served>()
  const find = (name: string): AnyKeyValue & AnyStack => {
    const stores = parts.manager.stores as Readonly<Record<string, AnyKeyValue & AnyStack>>
    const kv = Object.hasOwn(stores, name) ? stores[name] : undefined
    if (kv === undefined) throw new Refused(404, 'NOT_FOUND', 'There is no such store here.')
    if (!places.has(kv)) places.set(kv, served(kv))
    return kv
  }
  const asked: AskedOf = async ({ req }) => {
    const access = await parts.guard.enter(req.raw)
    const store = req.param('store') ?? ''
    if (!seesStore(access, store)) throw new Refused(404, 'NOT_FOUND', 'There is no such store here.')
    const kv = find(store)
    const query = new URL(req.url).searchParams
    return {
      request: req.raw,
      query,
      served: places.get(kv) as Served,
      access,
      limits: parts.limits,
      kv,
      store,
    }
  }
  treeRoutes(app, asked, parts)
  entryRoutes(app, asked, parts)
}

/**
 * Listings, parts of values and the rest: the interface of `http()`, for callers that were let in here. Values that are stored
 * encrypted are shown one by one, so that each look is recorded.
 */
export function mountStores(
  app: Hono,
  { manager, isWritable, guard, looks, limits }: Parts,
  basePath: string,
): void {
  const current = (): Readonly<Record<string, AnyKeyValue & AnyStack>> =>
    manager.stores as Readonly<Record<string, AnyKeyValue & AnyStack>>
  const entered = new WeakMap<Request, Access>()
  const { maxBodyBytes } = limits
  const authorize = (request: Request): Access | undefined => entered.get(request)
  const { fetch } = http(current, { authorize, basePath, maxBodyBytes, readOnly: !isWritable })
  app.all('/v1/*', async ({ req }) => {
    const access = await guard.enter(req.raw)
    const look = lookIn(req.raw, current())
    if (look !== undefined) looks.note({ caller: access.name, ...look })
    entered.set(req.raw, access)
    return fetch(req.raw)
  })
}

/** The value that a request would show, if it is stored encrypted. @throws {Refused} for several at once */
function lookIn(
  { method, url }: Request,
  stores: Readonly<Record<string, AnyKeyValue & AnyStack>>,
): { readonly store: string; readonly key: string } | undefined {
  const { pathname, searchParams: query } = new URL(url)
  const [, named = '', what = '', path = ''] =
    /\/v1\/stores\/([^/]+)\/(record|records|reads)(?:\/(.*))?$/.exec(pathname) ?? []
  const store = decoded(named)
  const kv = Object.hasOwn(stores, store) ? stores[store] : undefined
  if (kv === undefined || !isSealed(kv.capabilities, kv)) return undefined
  const isListing = what === 'records' && path === ''
  if (what === 'reads' || (isListing && query.get('values') === 'true'))
    throw new Refused(403, 'FORBIDDEN', 'This store is encrypted: its values are shown one by one.')
  if (method !== 'GET' || what === '' || isListing) return undefined
  return { store, key: query.get('key') ?? query.get('canonical') ?? decoded(path) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
