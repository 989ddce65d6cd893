import type { AnyStack } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import { type AnyKeyValue, type HttpServer, http } from '@unikv/http'
import {
  type Access,
  type Asked,
  answerTo,
  demandRight,
  Guard,
  jsonAnswer,
  jsonIn,
  keyOf,
  Refused,
  type Served,
  seesStore,
  served,
  settingsFor,
} from '@unikv/http/parts'
import { type Context, Hono } from 'hono'
import { Changes } from './changes.ts'
import { entryView, isSealed } from './entry.ts'
import { figuresNow } from './figures.ts'
import { historyView } from './history-view.ts'
import { Live } from './live.ts'
import { Looks } from './looks.ts'
import { checkDashboard, type DashboardOptions, type ShownManager } from './options.ts'
import { overviewOf, storeFacts } from './overview.ts'
import { pageFile } from './page.ts'
import { promiseRoutes } from './promises.ts'
import { ReportPages } from './reports.ts'
import { tunerRoutes } from './tuner-view.ts'

/** A dashboard in the form in which it is mounted. */
export interface Dashboard extends HttpServer {
  /** End the streams of figures. */
  close(this: void): void
}

/**
 * A page that shows the stores of a manager: how they do, and what is in them. It counts and lists nothing unasked, and changes
 * nothing unless `writable` is set and the caller has the right `write`.
 *
 * ```ts
 * const { fetch } = dashboard(manager, { authorize: (request) => accessOf(request) })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG`, above all without a protection that is named
 */
export function dashboard(manager: ShownManager, options: DashboardOptions): Dashboard {
  checkDashboard(manager, options)
  const {
    writable = false,
    data = true,
    onLook,
    history = keptBy(manager),
    reports,
    tuner,
    ...protection
  } = options
  const settings = settingsFor(protection)
  const parts: Parts = {
    manager,
    isWritable: writable,
    hasData: data,
    history,
    hasReports: reports !== undefined,
    hasTuner: tuner !== undefined,
    guard: new Guard(settings),
    live: new Live(() => figuresNow(manager) ?? { at: wallClock(), stores: {} }, 1_000),
    looks: new Looks(onLook),
    changes: new Changes(),
    limits: { ...settings, readOnly: !writable },
  }
  const app = new Hono().basePath(settings.basePath)
  figureRoutes(app, parts)
  promiseRoutes(app, parts)
  if (tuner !== undefined) tunerRoutes(app, tuner, parts)
  if (data) dataRoutes(app, parts)
  if (reports !== undefined) reportRoutes(app, parts.guard, new ReportPages(reports))
  if (data) mountStores(app, parts, protection)
  app.get('/*', async ({ req }) => pageAnswer(req.path.slice(settings.basePath.length + 1)))
  app.notFound(() => answerTo(new Refused(404, 'NOT_FOUND', 'There is nothing here.'), settings.hear))
  app.onError((error) => answerTo(error, settings.hear))
  return { fetch: async (request) => app.fetch(request), close: () => parts.live.close() }
}

/** The figures that a manager keeps; `undefined`: they are gone with its process. */
function keptBy({ configuration, recorder }: ShownManager): DashboardOptions['history'] {
  return configuration?.monitor?.keepIn === undefined ? undefined : recorder
}

/** The parts of a dashboard that its routes share. */
interface Parts {
  readonly manager: ShownManager
  readonly isWritable: boolean
  readonly hasData: boolean
  readonly history: DashboardOptions['history']
  readonly hasReports: boolean
  readonly hasTuner: boolean
  readonly guard: Guard
  readonly live: Live
  readonly looks: Looks
  readonly changes: Changes
  readonly limits: Asked['limits']
}

async function pageAnswer(path: string): Promise<Response> {
  const file = await pageFile(path === '' ? 'index.html' : path)
  if (file === undefined) throw new Refused(404, 'NOT_FOUND', 'There is nothing here.')
  return file
}

/** Figures, and what is known of the stores. */
function figureRoutes(app: Hono, parts: Parts): void {
  const { manager, guard, live, looks, isWritable, hasData, hasReports, hasTuner, history } = parts
  const get = (path: string, answer: (access: Access, query: URLSearchParams) => unknown): void => {
    app.get(`/api/${path}`, async ({ req }) => {
      const access = await guard.enter(req.raw)
      demandRight(access, 'read')
      const made = await answer(access, new URL(req.url).searchParams)
      return made instanceof Response ? made : jsonAnswer(made)
    })
  }
  get('overview', (access) =>
    overviewOf(manager, access, {
      hasData,
      hasReports,
      hasPast: history !== undefined,
      hasTuner,
      mayChange: isWritable && (access.may ?? 'read') !== 'read',
    }),
  )
  get('figures', () => figuresNow(manager) ?? null)
  get('live', () => live.open())
  get('history', (_access, query) => historyView(history, query))
  get('calls', () => slowest(manager))
  get('facts', () => storeFacts())
  get('looks', (access) => {
    demandRight(access, 'admin')
    return looks.list()
  })
}

/** Results of benchmarks, and their pages. */
function reportRoutes(app: Hono, guard: Guard, pages: ReportPages): void {
  const entered = async ({ req }: Context): Promise<void> => demandRight(await guard.enter(req.raw), 'read')
  app.get('/api/reports', async (context) => {
    await entered(context)
    return jsonAnswer(await pages.list())
  })
  app.post('/api/reports', async (context) => {
    await entered(context)
    const { names }: { names?: unknown } = await context.req.json().catch(() => ({}))
    return jsonAnswer({ path: pages.path(names) })
  })
  app.get('/reports/:ticket', ({ req }) => pages.open(req.param('ticket')))
}

/** The slowest of the latest calls. They hold no keys. */
function slowest({ monitor }: ShownManager): readonly object[] {
  const calls = [...(monitor?.recent() ?? [])]
  return calls.sort((a, b) => b.durationMs - a.durationMs).slice(0, 100)
}

/** Single records, through all layers. */
function dataRoutes(app: Hono, parts: Parts): void {
  const places = new WeakMap<object, Served>()
  const find = (name: string): AnyKeyValue & AnyStack => {
    const stores = parts.manager.stores as Readonly<Record<string, AnyKeyValue & AnyStack>>
    const kv = Object.hasOwn(stores, name) ? stores[name] : undefined
    if (kv === undefined) throw new Refused(404, 'NOT_FOUND', 'There is no such store here.')
    if (!places.has(kv)) places.set(kv, served(kv))
    return kv
  }
  const asked = async ({
    req,
  }: Context): Promise<Asked & { readonly kv: AnyStack; readonly store: string }> => {
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
    return jsonAnswer(await parts.changes.undo(one.served, String(undo)))
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

/** Listings, parts of values and the rest: the interface of `http()`, with the same protection. */
function mountStores(
  app: Hono,
  { manager, isWritable }: Parts,
  protection: Omit<DashboardOptions, 'writable'>,
): void {
  const current = (): Readonly<Record<string, AnyKeyValue>> =>
    manager.stores as Readonly<Record<string, AnyKeyValue>>
  const { fetch } = http(current, { ...protection, readOnly: !isWritable })
  app.all('/v1/*', ({ req }) => fetch(req.raw))
}
