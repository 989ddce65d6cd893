import type { SessionModel } from '../../../session/model/session-model.ts'
import type { Transitions } from '../../../session/model/transitions.ts'
import { benchmarks } from '../check.ts'
import { type Place, wrongIn } from './place.ts'
import type { SessionPart } from './session-schema.ts'
import type { TransitionsPart } from './transitions-schema.ts'

/** The name of the model of a job that names none. */
export const defaultModel = 'default'

/** The model of a session part: transitions of its own, or those of a model of the benchmark. */
export function modelOf(session: SessionPart, place: Place): SessionModel {
  const { limits, think, parameters, users } = session
  return { transitions: transitionsOf(session, place), limits, think, parameters, users }
}

function transitionsOf({ benchmark, model, Transitions: own }: SessionPart, place: Place): Transitions {
  const { models, interactions } = benchmarks[benchmark]
  if (own !== undefined && model !== undefined)
    throw wrongIn(place, 'workload.session.model', 'there are Transitions, too: leave one of them out')
  if (own !== undefined) return rowsOf(own, Object.keys(interactions), place)
  const name = model ?? defaultModel
  if (Object.hasOwn(models, name)) return models[name] as Transitions
  const known = Object.keys(models).join(', ')
  const got = model === undefined ? 'a model or Transitions must be given' : `there is no model '${model}'`
  throw wrongIn(place, 'workload.session.model', `${got}; ${benchmark} has ${known}`)
}

/** Rows of a document, with the names of interactions as they are in the benchmark. */
function rowsOf(given: TransitionsPart, interactions: readonly string[], place: Place): Transitions {
  const rows = new Map<string, Transitions[string]>()
  for (const [state, row] of Object.entries(given)) {
    const name = nameIn(interactions, state)
    if (rows.has(name))
      throw wrongIn(place, `workload.session.Transitions.${state}`, `there are two rows of ${name}`)
    rows.set(
      name,
      Object.entries(row).map(([next, weights]) => ({ next: nameIn(interactions, next), ...weights })),
    )
  }
  return Object.fromEntries(rows)
}

/**
 * The name of an interaction, written with other separators or in another case: `sell.auction.item` is `SELL_AUCTION_ITEM`. The mode
 * after `@` stays, and so does a name that no interaction has.
 */
function nameIn(interactions: readonly string[], given: string): string {
  const [state = '', ...mode] = given.split('@')
  const found = interactions.find((name) => plain(name) === plain(state)) ?? state
  return [found, ...mode].join('@')
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}
