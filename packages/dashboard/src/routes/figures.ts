import { type Access, demandRight, jsonAnswer, jsonIn, Refused, seesStore } from '@unikv/http/parts'
import type { Context, Hono } from 'hono'
import { figuresNow } from '../figures.ts'
import { historyView } from '../history-view.ts'
import type { ShownManager } from '../options.ts'
import { overviewOf, storeFacts } from '../overview.ts'
import type { Parts } from '../parts.ts'
import type { ReportPages } from '../reports.ts'

/** Figures, and what is known of the stores. */
export function figureRoutes(app: Hono, parts: Parts): void {
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
  get('figures', ({ stores }) => figuresNow(manager, stores) ?? null)
  get('live', ({ stores }) => live.open(stores))
  get('history', async (access, query) =>
    (await historyView(history, query)).filter(({ store }) => seesStore(access, store)),
  )
  get('calls', (access) => slowest(manager, access))
  get('facts', () => storeFacts())
  get('looks', (access) => {
    demandRight(access, 'admin')
    return looks.list()
  })
}

/** Results of benchmarks, and their pages. */
export function reportRoutes(app: Hono, { guard, limits }: Parts, pages: ReportPages): void {
  const entered = async ({ req }: Context): Promise<void> => {
    const access = await guard.enter(req.raw)
    demandRight(access, 'read')
    if (!isWhole(access))
      throw new Refused(403, 'FORBIDDEN', 'This caller may use a part of the stores alone.')
  }
  app.get('/api/reports', async (context) => {
    await entered(context)
    return jsonAnswer(await pages.list())
  })
  app.post('/api/reports', async (context) => {
    await entered(context)
    const { names } = await jsonIn({ request: context.req.raw, limits })
    return jsonAnswer({ path: pages.path(names) })
  })
  app.get('/reports/:ticket', ({ req }) => pages.open(req.param('ticket')))
}

/** Results may be of any store. */
function isWhole({ stores, namespace = [], prefix = '' }: Access): boolean {
  return stores === undefined && namespace.length === 0 && prefix === ''
}

/** The slowest of the latest calls. They hold no keys. */
function slowest({ monitor }: ShownManager, access: Access): readonly object[] {
  const calls = (monitor?.recent() ?? []).filter(({ store }) => seesStore(access, store))
  return calls.sort((a, b) => b.durationMs - a.durationMs).slice(0, 100)
}
