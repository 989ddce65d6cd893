import { isPlainObject } from '@unikv/core/platform'
import { must } from '@unikv/stores/documents'
import { z } from 'zod'
import type { Plain } from '../../../options/option.ts'
import { fields, optional } from './fields.ts'
import { share, shareOf } from './values.ts'

const weights = fields({ prob: optional(share), weight: optional(share) }).nullable()
const follower = z.preprocess((given) => {
  const weight = shareOf(given)
  return typeof weight === 'number' ? { weight } : given
}, weights)
const beStates = 'a state, a list of states, or states with their weights'

/**
 * The schema of `Transitions`: for each state those that follow it, as `{ HOME: { prob: 0.3 }, END: null }`, `{ HOME: 0.3, END: 0.7 }`, `{ HOME: 30%, END: 70% }`,
 * `[HOME, { next: END, weight: 2 }]`, or one of them as a text.
 */
export const transitionsSchema = z.record(
  z.string(),
  z.preprocess(byName, z.record(z.string(), follower, must(beStates))),
  must('states, each with those that follow it'),
)

/** Rows of transitions: states by name, and for each the states that may follow. */
export type TransitionsPart = Plain<typeof transitionsSchema>

/** The states of a list by their names. A list with anything else, or with a state twice, stays as it is and is refused. */
function byName(given: unknown): unknown {
  if (typeof given === 'string') return { [given]: null }
  if (!Array.isArray(given)) return given
  const followers = given.map((one) => (typeof one === 'string' ? ([one, null] as const) : named(one)))
  const found = new Map(followers.flatMap((one) => (one === undefined ? [] : [one])))
  return found.size === given.length ? Object.fromEntries(found) : given
}

function named(given: unknown): readonly [string, unknown] | undefined {
  if (!isPlainObject(given)) return undefined
  const { next, ...rest } = given as Readonly<Record<string, unknown>>
  return typeof next === 'string' ? [next, rest] : undefined
}
