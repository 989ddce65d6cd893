import { type Access, demandRight, jsonAnswer, seesStore } from '@unikv/http/parts'
import type { Hono } from 'hono'
import { figuresNow } from '../figures.ts'
import { historyView } from '../history-view.ts'
import type { ShownManager } from '../options.ts'
import { overviewOf, storeFacts } from '../overview.ts'
import type { Parts } from '../parts.ts'

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

/** The slowest of the latest calls. They hold no keys. */
function slowest({ monitor }: ShownManager, access: Access): readonly object[] {
  const calls = (monitor?.recent() ?? []).filter(({ store }) => seesStore(access, store))
  return calls.sort((a, b) => b.durationMs - a.durationMs).slice(0, 100)
}
