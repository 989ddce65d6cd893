import { type Capabilities, StoreError } from '@unikv/core'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { base, mostItems, names } from '../protocol/headers.ts'
import { type Access, demandRight, seesStore } from './access.ts'
import { jsonAnswer, readMany, writeMany } from './batch.ts'
import { Guard } from './guard.ts'
import { list } from './listing.ts'
import { openApi } from './openapi.ts'
import { type HttpOptions, type HttpSettings, settingsFor } from './options.ts'
import { patch, put, read, remove } from './record.ts'
import { answerTo, Refused } from './refused.ts'
import type { Asked, Limits } from './request.ts'
import { type AnyKeyValue, type Served, served } from './served.ts'

/** The stores that a server serves, by name: fixed, or as they are with each request. */
export type ServedStores =
  | Readonly<Record<string, AnyKeyValue>>
  | (() => Readonly<Record<string, AnyKeyValue>>)

/** A server in the form that Node.js, Deno, Bun, Cloudflare, Next.js and hono mount. */
export interface HttpServer {
  /** Answers one request; it never rejects. */
  fetch(this: void, request: Request): Promise<Response>
}

/**
 * Serve stores over HTTP: values as their own codec makes them, conditions by entity tags, expiry, batches, listings, and errors as
 * Problem Details. `GET /v1/openapi.json` describes it.
 *
 * ```ts
 * const { fetch } = http({ users }, { tokens: [{ name: 'app', token, may: 'write' }] })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a store that cannot be served, and without a protection that is named
 */
export function http(stores: ServedStores, options: HttpOptions): HttpServer {
  const settings = settingsFor(options)
  const current = typeof stores === 'function' ? stores : () => stores
  const places = new WeakMap<object, Served>()
  const find = (name: string): Served | undefined => {
    const kv = Object.hasOwn(current(), name) ? current()[name] : undefined
    if (kv === undefined) return undefined
    if (!places.has(kv)) places.set(kv, served(kv))
    return places.get(kv)
  }
  if (typeof stores !== 'function') for (const name of Object.keys(stores)) checkName(name, find)
  const app = routes(settings, find, () => Object.keys(current()))
  return { fetch: async (request) => app.fetch(request) }
}

function checkName(name: string, find: (name: string) => unknown): void {
  if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name))
    throw new StoreError('INVALID_CONFIG', 'A store is served under a name of letters, digits, - and _.')
  find(name)
}

function routes(
  settings: HttpSettings,
  find: (name: string) => Served | undefined,
  allNames: () => readonly string[],
): Hono {
  const app = new Hono().basePath(settings.basePath)
  if (settings.origins.length > 0) app.use(pagesOf(settings.origins))
  const guard = new Guard(settings)
  const enter = (request: Request): Promise<Access> => guard.enter(request)
  const store =
    (handle: (asked: Asked, path: string) => Promise<Response>) =>
    async (context: Context): Promise<Response> => {
      const request = context.req.raw
      const access = await enter(request)
      const name = context.req.param('store') ?? ''
      const place = seesStore(access, name) ? find(name) : undefined
      if (place === undefined)
        throw new Refused(404, 'NOT_FOUND', 'There is no such store here, or this caller may not see it.')
      const { pathname, searchParams: query } = new URL(request.url)
      const asked = { request, query, served: place, access, limits: settings }
      return handle(asked, pathname.replace(aboveKeys, ''))
    }
  const of = `${base}/stores/:store`
  app.get(`${base}/openapi.json`, async ({ req }) => {
    await enter(req.raw)
    return jsonAnswer(openApi(settings.basePath))
  })
  app.get(`${base}/stores`, async ({ req }) => {
    const access = await enter(req.raw)
    return jsonAnswer({ stores: allNames().filter((name) => seesStore(access, name)) })
  })
  app.get(of, store(describe))
  app.get(`${of}/records`, store(list))
  app.post(`${of}/reads`, store(readMany))
  app.post(`${of}/writes`, store(writeMany))
  for (const path of [`${of}/record`, `${of}/records/:key{.+}`]) {
    // GET answers HEAD, too.
    app.get(path, store(read)).put(store(put)).patch(store(patch)).delete(store(remove))
  }
  app.notFound(() =>
    answerTo(
      new Refused(404, 'NOT_FOUND', 'There is nothing here. GET /v1/openapi.json tells what there is.'),
      settings.hear,
    ),
  )
  app.onError((error) => answerTo(error, settings.hear))
  return app
}

/** The part of a path that stands before the key. */
const aboveKeys = /^.*?\/v1\/stores\/[^/]+\/records\//

/** `GET /v1/stores/NAME`: what the store can do for those who reach it so. */
async function describe({ served: { records, contentType }, access, limits }: Asked): Promise<Response> {
  demandRight(access, 'read')
  const { name, capabilities } = records.store
  return jsonAnswer({ name, contentType, capabilities: throughHttp(capabilities, limits) })
}

/** Values travel as bytes, in bodies and batches that have limits. */
function throughHttp(own: Capabilities, { maxBodyBytes }: Limits): Capabilities {
  const { atomicity, maxItems, maxBytes } = own.batch
  // A batch holds base64 and JSON.
  const mostBytes = Math.floor(maxBodyBytes / 2)
  return {
    ...own,
    batch: {
      atomicity,
      maxItems: Math.min(maxItems, mostItems),
      maxBytes: Math.min(maxBytes, mostBytes),
      coalesce: { min: 2, max: 32 },
    },
    maxValueBytes: Math.min(own.maxValueBytes, maxBodyBytes),
    documents: false,
    deltas: false,
    sync: 'none',
  }
}

/** Pages of these origins may read what is answered. */
function pagesOf(origins: readonly string[]): MiddlewareHandler {
  const own = Object.values(names)
  return cors({
    origin: [...origins],
    allowMethods: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'POST'],
    allowHeaders: ['authorization', 'content-type', 'if-match', 'if-none-match', 'range', ...own],
    exposeHeaders: ['etag', 'content-range', ...own],
  })
}
