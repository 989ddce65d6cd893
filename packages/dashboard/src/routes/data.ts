import type { AnyStack } from '@unikv/core/adapter'
import { type AnyKeyValue, http } from '@unikv/http'
import {
  type Access,
  demandKey,
  demandRight,
  jsonAnswer,
  jsonIn,
  keyOf,
  Refused,
  type Served,
  seesStore,
  served,
} from '@unikv/http/parts'
import type { Hono } from 'hono'
import { entryView, isSealed } from '../entry.ts'
import type { Parts } from '../parts.ts'
import type { AskedOf } from './asked.ts'
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
  app.get('/api/stores/:store/entry', async (context) => {
    const one = await asked(context)
    demandRight(one.access, 'read')
    const key = keyOf(one, '')
    const view = await entryView(one.kv, one.served, key)
    if (isSealed(one.kv.capabilities, one.kv))
      parts.looks.note({ caller: one.access.name, store: one.store, key: one.query.get('key') ?? key })
    return jsonAnswer(view)
  })
  app.put('/api/stores/:store/entry', async (context) => {
    const one = await asked(context)
    demandChange(parts, one.access)
    const { body, ifVersion } = changeIn(await jsonIn(one))
    return jsonAnswer(await parts.changes.change(one.served, keyOf(one, ''), body, ifVersion))
  })
  app.post('/api/stores/:store/undo', async (context) => {
    const one = await asked(context)
    demandChange(parts, one.access)
    const { undo } = await jsonIn(one)
    return jsonAnswer(await parts.changes.undo(one.served, String(undo), (key) => demandKey(one.access, key)))
  })
}

/** A change: a new value, or that the record goes, which must be said. */
function changeIn(given: Readonly<Record<string, unknown>>): {
  readonly body: Uint8Array | undefined
  readonly ifVersion: string | null
} {
  const { base64, delete: isDelete, ifVersion, ...others } = given
  const isChange =
    typeof base64 === 'string' ? isDelete === undefined : isDelete === true && base64 === undefined
  const hasVersion = ifVersion === null || typeof ifVersion === 'string'
  if (!isChange || !hasVersion || Object.keys(others).length > 0)
    throw new Refused(400, 'BAD_REQUEST', 'A change has `base64` or `delete: true`, and `ifVersion`.')
  return { body: typeof base64 === 'string' ? Buffer.from(base64, 'base64') : undefined, ifVersion }
}

function demandChange({ isWritable }: Parts, access: Access): void {
  demandRight(access, 'write')
  if (!isWritable) throw new Refused(403, 'FORBIDDEN', 'This dashboard is read-only.')
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
