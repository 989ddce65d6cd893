import { demandRight, jsonAnswer, jsonIn } from '@unikv/http/parts'
import type { Context, Hono } from 'hono'
import type { Live } from '../live.ts'
import type { Parts } from '../parts.ts'
import { htmlAnswer, type ReportPages } from '../reports.ts'
import { demandWhole } from './asked.ts'

/** Results of benchmarks, and their pages. */
export function reportRoutes(app: Hono, { guard, limits }: Parts, pages: ReportPages, runs: Live): void {
  const entered = async ({ req }: Context): Promise<void> => {
    const access = await guard.enter(req.raw)
    demandRight(access, 'read')
    demandWhole(access)
  }
  app.get('/api/reports', async (context) => {
    await entered(context)
    return jsonAnswer(await pages.list())
  })
  app.post('/api/reports', async (context) => {
    await entered(context)
    return jsonAnswer({ path: pages.path(await jsonIn({ request: context.req.raw, limits })) })
  })
  app.get('/api/reports/history', async (context) => {
    await entered(context)
    return jsonAnswer(await pages.history(context.req.query('study') ?? ''))
  })
  app.get('/api/runs', async (context) => {
    await entered(context)
    // So that the first frame has what goes on now.
    await pages.look()
    return runs.open(undefined)
  })
  app.get('/api/runs/page', async (context) => {
    await entered(context)
    return htmlAnswer(await pages.runningPage(context.req.query('name') ?? ''))
  })
  app.get('/reports/:ticket', ({ req }) => pages.open(req.param('ticket')))
}
