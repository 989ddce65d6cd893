import { StoreError } from '@unikv/core'
import { checkedModel, type ModelContext, type SessionModel } from '../model/session-model.ts'
import { end, type Rows, rowAfter, start } from '../model/transitions.ts'
import { checkModeShares, type ModeShares } from './mode-shares.ts'

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

/**
 * How often each state of a Markov chain is visited between two visits of the first one, by the state reduction of Grassmann, Taksar
 * and Heyman. It subtracts nothing, so that chances of any size keep their digits.
 *
 * @param chances of each state to each; each must lead to every other one, by way of others
 */
function visitsBetween(chances: readonly (readonly number[])[]): readonly number[] {
  const left = chances.map((row) => [...row])
  for (let last = left.length - 1; last > 0; last--) leaveOut(left, last)
  const visits = [1]
  for (let state = 1; state < left.length; state++)
    visits.push(visits.reduce((sum, count, from) => sum + count * at(left, from, state), 0))
  return visits
}

/** Ways through the last state become ways between those before it. */
function leaveOut(chances: readonly number[][], last: number): void {
  const onward = chances[last] as number[]
  const sum = onward.slice(0, last).reduce((total, chance) => total + chance, 0)
  for (const row of chances.slice(0, last)) {
    const share = (row[last] as number) / sum
    row[last] = share
    for (let to = 0; to < last; to++) row[to] = (row[to] as number) + share * (onward[to] as number)
  }
}

function at(rows: readonly (readonly number[])[], row: number, column: number): number {
  return rows[row]?.[column] as number
}
