import {
  type Access,
  type Asked,
  demandRight,
  type Guard,
  jsonAnswer,
  jsonIn,
  Refused,
  seesStore,
} from '@unikv/http/parts'
import type { Action } from '@unikv/tuner'
import type { Hono } from 'hono'
import type { AnswerableTuner } from './options.ts'

/** So many of the latest actions are shown. */
const mostShown = 200

/** Proposals of a tuner, and how they went. */
export interface TunerView {
  /** Whether this caller may say yes or no. */
  readonly mayAnswer: boolean
  /** The latest first. */
  readonly actions: readonly ActionView[]
}

/** One change from its proposal to its end. */
export interface ActionView
  extends Pick<Action, 'id' | 'store' | 'title' | 'state' | 'at' | 'lapsesAt' | 'cost' | 'steps'> {
  /** The promise that is broken, in a sentence. */
  readonly why: string
  /** The effect in sentences, as far as it was measured. */
  readonly effect: string | undefined
  /** The whole explanation, line by line. */
  readonly explained: readonly string[]
}

/** Proposals with their reasons, and the answers of their owners. */
export function tunerRoutes(
  app: Hono,
  tuner: AnswerableTuner,
  { guard, limits }: { readonly guard: Guard; readonly limits: Asked['limits'] },
): void {
  app.get('/api/tuner', async ({ req }) => {
    const access = await guard.enter(req.raw)
    demandRight(access, 'read')
    return jsonAnswer(await viewOf(tuner, access))
  })
  app.post('/api/tuner/:id/:answer{approve|reject}', async ({ req }) => {
    const access = await guard.enter(req.raw)
    demandRight(access, 'admin')
    if (!isWhole(access)) throw new Refused(403, 'FORBIDDEN', 'This caller may use a part of the keys alone.')
    // A body of JSON cannot come from a form of another site.
    await jsonIn({ request: req.raw, limits })
    const { id, answer } = req.param()
    // The log also takes the beginning of a name.
    const known = (await seenBy(access, tuner)).some((action) => action.id === id)
    if (!known) throw new Refused(404, 'NOT_FOUND', 'There is no such proposal here.')
    const { state } = await tuner[answer === 'approve' ? 'approve' : 'reject'](id, access.name)
    return jsonAnswer({ state })
  })
}

async function viewOf(tuner: AnswerableTuner, access: Access): Promise<TunerView> {
  const { explained, troubleText, verdictText } = await import('@unikv/tuner')
  const actions = (await seenBy(access, tuner)).toReversed().slice(0, mostShown)
  return {
    mayAnswer: access.may === 'admin' && isWhole(access),
    actions: actions.map((action) => {
      const { id, store, title, state, at, lapsesAt, cost, steps, trouble, verdict } = action
      const effect = verdict === undefined ? undefined : verdictText(action)
      const why = troubleText(trouble)
      return { id, store, title, state, at, lapsesAt, cost, steps, why, effect, explained: explained(action) }
    }),
  }
}

async function seenBy(access: Access, tuner: AnswerableTuner): Promise<readonly Action[]> {
  return (await tuner.actions()).filter(({ store }) => seesStore(access, store))
}

/** A change by a tuner concerns all keys of a store. */
function isWhole({ namespace = [], prefix = '' }: Access): boolean {
  return namespace.length === 0 && prefix === ''
}
