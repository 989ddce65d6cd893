import { wallClock } from '@unikv/core/platform'
import type { HttpServer } from '@unikv/http'
import { answerTo, Guard, Refused, settingsFor } from '@unikv/http/parts'
import { keptHistory } from '@unikv/monitor/recorder'
import { Hono, type MiddlewareHandler } from 'hono'
import { Changes } from './changes.ts'
import { Walks } from './data/walks.ts'
import { Decoders } from './decode/decoders.ts'
import { Decoding } from './decode/decoding.ts'
import { Downloads } from './downloads.ts'
import { figuresAt } from './figures.ts'
import { Live } from './live.ts'
import { Looks } from './looks.ts'
import { Moments } from './moments.ts'
import { type DashboardOptions, type ShownManager, settingsOf } from './options.ts'
import { pageAnswer } from './page.ts'
import type { Parts } from './parts.ts'
import { promiseRoutes } from './promises.ts'
import { ReportPages } from './reports.ts'
import { dataRoutes, mountStores } from './routes/data.ts'
import { figureRoutes } from './routes/figures.ts'
import { reportRoutes } from './routes/reports.ts'
import { Servers } from './servers.ts'
import { tunerRoutes } from './tuner-view.ts'

/** A dashboard in the form in which it is mounted. */
export interface Dashboard extends HttpServer {
  /** How many pages hear of figures or runs now. */
  listeners(this: void): number
  /** End the streams of figures, walks through stores, and the thread that decodes. */
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
  const {
    writable,
    data,
    onLook,
    history = keptBy(manager),
    reports,
    tuner,
    decoders = [],
    ...protection
  } = settingsOf(manager, options)
  const settings = settingsFor(protection)
  const moments = new Moments(manager)
  const parts: Parts = {
    manager,
    isWritable: writable,
    hasData: data,
    history,
    hasReports: reports !== undefined,
    hasTuner: tuner !== undefined,
    guard: new Guard(settings),
    moments,
    live: new Live((stores) => {
      const kept = moments.take()
      return kept === undefined ? { at: wallClock(), stores: {} } : figuresAt(kept, stores)
    }, 1_000),
    servers: new Servers(),
    looks: new Looks(onLook),
    changes: new Changes(),
    walks: new Walks(),
    decoding: new Decoding(new Decoders(decoders, manager.configuration?.dashboard?.decoders ?? [])),
    downloads: new Downloads(),
    limits: { ...settings, readOnly: !writable },
  }
  const app = new Hono().basePath(settings.basePath)
  app.use(endOfHead)
  figureRoutes(app, parts)
  promiseRoutes(app, parts)
  if (tuner !== undefined) tunerRoutes(app, tuner, parts)
  if (data) dataRoutes(app, parts)
  const pages = reports && new ReportPages(reports)
  const runs = pages && new Live(() => pages.running(), 1_000)
  if (pages !== undefined && runs !== undefined) reportRoutes(app, parts, pages, runs)
  if (data) mountStores(app, parts, settings.basePath)
  for (const path of ['', '/']) app.get(path, ({ req }) => pageAnswer(req.raw))
  app.notFound(() => answerTo(new Refused(404, 'NOT_FOUND', 'There is nothing here.'), settings.hear))
  app.onError((error) => answerTo(error, settings.hear))
  const streams = [parts.live, ...(runs === undefined ? [] : [runs])]
  return {
    fetch: async (request) => app.fetch(request),
    listeners: () => streams.reduce((sum, { listeners }) => sum + listeners, 0),
    close: () => [...streams, parts.walks, parts.decoding].forEach((one) => one.close()),
  }
}

/** `HEAD` is answered like `GET`, without the body: a stream that is never read would be told for ever. */
const endOfHead: MiddlewareHandler = async (context, next) => {
  await next()
  if (context.req.method === 'HEAD') await context.res.body?.cancel()
}

/** The figures that a manager keeps; `undefined`: they are gone with its process. */
function keptBy({ configuration, stores, recorder }: ShownManager): DashboardOptions['history'] {
  const keeper = configuration?.monitor?.keepIn
  if (keeper === undefined || recorder === undefined) return undefined
  return keptHistory(stores[keeper as keyof typeof stores])
}
