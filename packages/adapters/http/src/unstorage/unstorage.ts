import { isEntry } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import { Hono } from 'hono'
import { demandRight } from '../server/access.ts'
import { Gate, type HttpServer, type ServedStores } from '../server/gate.ts'
import type { HttpOptions } from '../server/options.ts'
import { pagesOf } from '../server/pages.ts'
import { answerTo, badRequest, Refused } from '../server/refused.ts'
import { type Asked, bodyIn, demandChange } from '../server/request.ts'
import { type Found, Session } from '../server/session.ts'

/**
 * Serve stores as the server of unstorage does, for its driver `http`. Each store is at `/NAME`. Keys have colons between their parts,
 * which are slashes in paths.
 *
 * ```ts
 * const { fetch } = unstorage({ users }, { tokens: [{ name: 'app', token, may: 'write' }] })
 * const driver = httpDriver({ base: 'https://host/users', headers: { authorization: `Bearer ${token}` } })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a store that cannot be served, and without a protection that is named
 */
export function unstorage(stores: ServedStores, options: HttpOptions): HttpServer {
  const gate = new Gate('unstorage', stores, options)
  const { basePath, origins, hear } = gate.settings
  const app = new Hono().basePath(basePath)
  if (origins.length > 0)
    app.use(
      pagesOf(origins, { methods: Object.keys(methods), sent: ['x-ttl'], read: ['x-ttl', 'last-modified'] }),
    )
  app.all('/:store{[^/]+}/:key{.*}?', async ({ req }) => {
    const asked = await gate.asked(req.raw, req.param('store'))
    const path = new URL(req.url).pathname.slice(basePath.length).replace(/^\/[^/]+/, '')
    return answered(asked, path)
  })
  app.notFound(() => answerTo(new Refused(404, 'NOT_FOUND', 'Each store is at /NAME/.'), hear))
  app.onError((error) => answerTo(error, hear))
  return { fetch: async (request) => app.fetch(request) }
}

type Handler = (session: Session, key: string) => Promise<Response>

/** Each method on a key, and on a base. */
const methods: Readonly<Record<string, { readonly item: Handler; readonly base?: Handler }>> = {
  GET: { item: get, base: list },
  HEAD: { item: get },
  PUT: { item: put },
  DELETE: { item: remove, base: clear },
}

function answered(asked: Asked, path: string): Promise<Response> {
  const { method } = asked.request
  const handlers = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (handlers === undefined)
    throw new Refused(405, 'BAD_REQUEST', 'Use GET, HEAD, PUT or DELETE.', {
      allow: Object.keys(methods).join(', '),
    })
  const key = keyIn(path)
  const isBase = /[/:]$/.test(path) || path === ''
  const handle = isBase ? handlers.base : handlers.item
  if (handle === undefined || (!isBase && key === ''))
    throw badRequest(`${method} needs a key, and not a base.`)
  return handle(new Session(asked), isBase && key !== '' ? `${key}:` : key)
}

/** `/a/b` is the key `a:b`, as the driver has it. */
function keyIn(path: string): string {
  const parts = path.split(/[/:]/).filter((part) => part !== '')
  try {
    const decoded = parts.map(decodeURIComponent)
    if (decoded.includes('.') || decoded.includes('..')) throw badRequest('No part of a key may be . or ..')
    return decoded.join(':')
  } catch (error) {
    throw error instanceof Refused
      ? error
      : badRequest('The key has a stray %. Write %25 for a percent sign.')
  }
}

/** The value as text, or as bytes for a caller who accepts `application/octet-stream`. `HEAD` asks for no value. */
async function get(session: Session, name: string): Promise<Response> {
  const { request, access, served } = session.asked
  demandRight(access, 'read')
  const head = request.method === 'HEAD'
  const [found] = await session.read([{ key: session.canonical(name), head }])
  if (found === undefined) throw new Refused(404, 'NOT_FOUND', 'There is no record with this key.')
  const isRaw = request.headers.get('accept') === 'application/octet-stream'
  const headers = {
    ...metaOf(found),
    'content-type': isRaw ? 'application/octet-stream' : 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  }
  const body = isEntry(found) && !head ? await served.bodyOf(found.value) : null
  return new Response(body as Uint8Array<ArrayBuffer> | null, { headers })
}

/** When it was written, which its version tells, and how many seconds it lives. */
function metaOf({ version, expiresAt }: NonNullable<Found>): Record<string, string> {
  const headers: Record<string, string> = { 'cache-control': 'no-store' }
  if (version !== undefined)
    headers['last-modified'] = new Date(Number.parseInt(version.slice(0, 12), 16)).toUTCString()
  if (expiresAt !== undefined)
    headers['x-ttl'] = String(Math.max(1, Math.ceil((expiresAt - wallClock()) / 1_000)))
  return headers
}

async function list(session: Session, base: string): Promise<Response> {
  demandRight(session.asked.access, 'read')
  const keys = await session.keys(base)
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return new Response(JSON.stringify(keys.map((key) => key.replaceAll(':', '/'))), { headers })
}

async function put(session: Session, name: string): Promise<Response> {
  const { asked } = session
  demandChange(asked)
  const ttl = asked.request.headers.get('x-ttl')
  const ttlMs = ttl === null ? undefined : Number(ttl) * 1_000
  const key = session.canonical(name)
  const value = await asked.served.valueOf(await bodyIn(asked))
  await session.write([{ type: 'set', key, value, ttlMs }])
  return done()
}

async function remove(session: Session, name: string): Promise<Response> {
  demandChange(session.asked)
  await session.write([{ type: 'delete', key: session.canonical(name) }])
  return done()
}

/** A writer could delete each key, so it may delete all of them, as in unstorage. */
async function clear(session: Session, base: string): Promise<Response> {
  demandChange(session.asked)
  await session.clear(base)
  return done()
}

function done(): Response {
  return new Response('OK', { headers: { 'content-type': 'text/plain; charset=utf-8' } })
}
