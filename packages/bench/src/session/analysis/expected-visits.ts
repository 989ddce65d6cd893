import { StoreError } from '@unikv/core'
import { checkedModel, type ModelContext, type SessionModel } from '../model/session-model.ts'
import { end, type Rows, rowAfter, start } from '../model/transitions.ts'
import { checkModeShares, type ModeShares } from './mode-shares.ts'
import { visitsBetween } from './stationary.ts'

/** Averages of the sessions of a model. */
export interface ExpectedVisits {
  /** How often it comes to each state, by name; states that it never comes to are left out. */
  readonly visits: Readonly<Record<string, number>>
  /** How many interactions it has. */
  readonly interactions: number
  /** The share of each interaction among them, by name. */
  readonly shares: Readonly<Record<string, number>>
}

/** The most states of a model: the time to solve it grows with the third power of their number. */
const mostStates = 1_000

/**
 * The expected visits of a session, by solving the Markov chain of its states. Limits are not part of it: a session goes
 * on until `END`.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a wrong model; `INVALID_ARGUMENT` for wrong shares, for more than 1,000 states, or if
 * sessions do not end
 */
export function expectedVisits(
  model: SessionModel,
  context: ModelContext,
  modes: ModeShares = {},
): ExpectedVisits {
  const { rows, modes: known } = checkedModel(model, context)
  checkModeShares(modes, known)
  const chances = new Map<string, ReadonlyMap<string, number>>([[end, new Map([[start, 1]])]])
  const seen = new Set([end, start])
  for (const name of seen) {
    if (seen.size > mostStates) throw tooMany()
    const followers = chances.get(name) ?? chancesAfter(rows, name, modes[name])
    chances.set(name, followers)
    for (const next of followers.keys()) seen.add(next)
  }
  const names = [...seen]
  const counts = visitsBetween(names.map((from) => names.map((to) => chances.get(from)?.get(to) ?? 0)))
  if (!isEnding(chances) || !counts.every(Number.isFinite))
    throw new StoreError(
      'INVALID_ARGUMENT',
      `Sessions of this model do not end, as they cannot reach ${end}. Their visits have no expected number.`,
    )
  return summary(names.slice(1), counts.slice(1), (name) => known.has(name))
}

function tooMany(): StoreError {
  return new StoreError(
    'INVALID_ARGUMENT',
    `Sessions of this model come to more than ${mostStates} states, the most that expectedVisits() solves. Simulate them instead.`,
  )
}

/** Whether each state leads to the end, by way of others. */
function isEnding(chances: ReadonlyMap<string, ReadonlyMap<string, number>>): boolean {
  const ending = new Set([end])
  for (const goal of ending)
    for (const [name, followers] of chances) if (followers.has(goal)) ending.add(name)
  return ending.size === chances.size
}

/** The probability of each state after another one, over all result modes. */
function chancesAfter(
  rows: Rows,
  name: string,
  shares: Readonly<Record<string, number>> = {},
): ReadonlyMap<string, number> {
  const plain = 1 - Object.values(shares).reduce((sum, share) => sum + share, 0)
  const chances = new Map<string, number>()
  for (const [mode, weight] of [[undefined, plain] as const, ...Object.entries(shares)]) {
    const row = rowAfter(rows, name, mode)
    row.names.forEach((next, index) => {
      const chance = weight * (row.shares[index] as number)
      if (chance > 0) chances.set(next, (chances.get(next) ?? 0) + chance)
    })
  }
  return chances
}

function summary(
  names: readonly string[],
  counts: readonly number[],
  isInteraction: (name: string) => boolean,
): ExpectedVisits {
  const visits = names.map((name, index) => [name, counts[index] as number] as const)
  const own = visits.filter(([name]) => isInteraction(name))
  const interactions = own.reduce((sum, [, count]) => sum + count, 0)
  return {
    visits: Object.fromEntries(visits),
    interactions,
    shares: Object.fromEntries(own.map(([name, count]) => [name, count / interactions])),
  }
}
