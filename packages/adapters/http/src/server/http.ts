import type { Capabilities } from '@unikv/core'
import { leftOut } from '@unikv/core/adapter'
import { type Context, Hono } from 'hono'
import { base, mostItems, names } from '../protocol/headers.ts'
import { demandRight } from './access.ts'
import { jsonAnswer, readMany, writeMany } from './batch.ts'
import { aggregate, find } from './finding.ts'
import { Gate, type HttpServer, type ServedStores } from './gate.ts'
import { list } from './listing.ts'
import { openApi } from './openapi/openapi.ts'
import type { HttpOptions } from './options.ts'
import { type PageHeaders, pagesOf } from './pages.ts'
import {
  checkQuery,
  keyPathsOf,
  notHere,
  ofBatch,
  ofListing,
  ofQuery,
  ofRecord,
  ofStoreListing,
} from './paths.ts'
import { patch, put, read, remove } from './record.ts'
import { answerTo } from './refused.ts'
import type { Asked, Limits } from './request.ts'

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
  const app = routes(new Gate('http', stores, options))
  return { fetch: async (request) => app.fetch(request) }
}

function routes(gate: Gate): Hono {
  const { settings } = gate
  const keyPath = keyPathsOf(settings.basePath)
  const app = new Hono().basePath(settings.basePath)
  if (settings.origins.length > 0) app.use(pagesOf(settings.origins, ofPages))
  const store =
    (known: readonly string[], handle: (asked: Asked, path: string) => Promise<Response>) =>
    async (context: Context): Promise<Response> => {
      const request = context.req.raw
      const asked = await gate.asked(request, context.req.param('store') ?? '')
      const path = keyPath(request.url)
      checkQuery(asked.query, known)
      return handle(asked, path)
    }
  const of = `${base}/stores/:store`
  app.get(`${base}/openapi.json`, async ({ req }) => {
    await gate.enter(req.raw)
    return jsonAnswer(openApi(settings.basePath))
  })
  app.get(`${base}/stores`, async ({ req }) => {
    const access = await gate.enter(req.raw)
    return jsonAnswer({ stores: gate.names(access) })
  })
  app.get(of, store([], describe))
  app.get(`${of}/records`, store([...ofListing, ...ofStoreListing], list))
  app.post(`${of}/reads`, store(ofBatch, readMany))
  app.post(`${of}/writes`, store(ofBatch, writeMany))
  app.post(`${of}/find`, store(ofQuery, find))
  app.post(`${of}/aggregate`, store(ofQuery, aggregate))
  for (const path of [`${of}/record`, `${of}/records/:key{.+}`]) {
    // GET answers HEAD, too.
    app
      .get(path, store(ofRecord, read))
      .put(store(ofRecord, put))
      .patch(store(ofRecord, patch))
      .delete(store(ofRecord, remove))
  }
  app.notFound(() => answerTo(notHere(), settings.hear))
  app.onError((error) => answerTo(error, settings.hear))
  return app
}

const ofPages: PageHeaders = {
  methods: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'POST'],
  sent: ['if-match', 'if-none-match', 'range', ...Object.values(names)],
  read: ['etag', 'content-range', ...Object.values(names)],
}

/** `GET /v1/stores/NAME`: what the store can do for those who reach it so. */
async function describe({ served: { records, contentType }, access, limits }: Asked): Promise<Response> {
  demandRight(access, 'read')
  const { name, capabilities } = records.store
  return jsonAnswer({ name, contentType, capabilities: throughHttp(capabilities, limits) })
}

/** Values travel as bytes, in bodies and batches that have limits. Capabilities that HTTP does not carry are left out. */
function throughHttp(own: Capabilities, { maxBodyBytes }: Limits): Capabilities {
  const { atomicity, maxItems, maxBytes } = own.batch
  // A batch holds base64 and JSON.
  const mostBytes = Math.floor(maxBodyBytes / 2)
  return {
    ...own,
    ...leftOut,
    existed: own.existed,
    find: own.find,
    holds: own.holds,
    batch: {
      atomicity,
      maxItems: Math.min(maxItems, mostItems),
      maxBytes: Math.min(maxBytes, mostBytes),
      coalesce: { min: 2, max: 32 },
    },
    maxValueBytes: Math.min(own.maxValueBytes, maxBodyBytes),
    documents: false,
    sync: 'none',
  }
}
