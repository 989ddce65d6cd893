import { wallClock } from '@unikv/core/platform'
import { type Access, demandRight, jsonAnswer, Refused, seesStore } from '@unikv/http/parts'
import type { Hono } from 'hono'
import { figuresAt } from '../figures.ts'
import { historyView } from '../history-view.ts'
import type { KeptMoment } from '../moments.ts'
import type { ShownManager } from '../options.ts'
import { overviewOf, storeFacts } from '../overview.ts'
import type { Parts } from '../parts.ts'
import { processesView } from '../processes.ts'
import { demandWhole } from './asked.ts'

/** Figures, and what is known of the stores. */
export function figureRoutes(app: Hono, parts: Parts): void {
  const { manager, guard, moments, live, looks, isWritable, hasData, hasReports, hasTuner, history } = parts
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
  get('figures', ({ stores }, query) => {
    const kept = moments.of(query.get('snapshot'))
    return kept === undefined ? null : figuresAt(kept, stores)
  })
  get('metrics', ({ stores }, query) => metricsAnswer(moments.of(query.get('snapshot')), stores))
  get('processes', (access) => processesView(parts, access, wallClock()))
  get('live', ({ stores }) => live.open(stores))
  get('history', async (access, query) =>
    (await historyView(history, query)).filter(({ store }) => seesStore(access, store)),
  )
  get('calls', (access) => slowest(manager, access))
  get('facts', () => storeFacts())
  get('looks', (access) => {
    demandRight(access, 'admin')
    demandWhole(access)
    return looks.list()
  })
}

/** The text of Prometheus, and the number of its moment. */
function metricsAnswer(kept: KeptMoment | undefined, stores: readonly string[] | undefined): Response {
  if (kept === undefined)
    throw new Refused(404, 'NOT_FOUND', 'Nothing is counted here: the configuration has no `monitor`.')
  const headers = {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
    'unikv-snapshot': String(kept.id),
  }
  return new Response(kept.moment.text(stores), { headers })
}

/** The slowest of the latest calls. They hold no keys. */
function slowest({ monitor }: ShownManager, access: Access): readonly object[] {
  const calls = (monitor?.recent() ?? []).filter(({ store }) => seesStore(access, store))
  return calls.sort((a, b) => b.durationMs - a.durationMs).slice(0, 100)
}
