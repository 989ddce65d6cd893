import { StoreError } from '@unikv/core'
import { checkedModel, type ModelContext, type SessionModel } from '../model/session-model.ts'
import { end, type Rows, rowAfter, start } from '../model/transitions.ts'
import { solved } from './linear-system.ts'

/** How often results have modes: for each interaction, the share of each mode. The rest has none. */
export type ModeShares = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Averages of the sessions of a model. */
export interface ExpectedVisits {
  /** How often it comes to each state, by name; states that it never comes to are left out. */
  readonly visits: Readonly<Record<string, number>>
  /** How many interactions it has. */
  readonly interactions: number
  /** The share of each interaction among them, by name. */
  readonly shares: Readonly<Record<string, number>>
}

/**
 * The expected visits of a session, by solving the Markov chain of its states. Limits are not part of it: a session goes
 * on until `END`.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a wrong model; `INVALID_ARGUMENT` for wrong shares, or if sessions do not end
 */
export function expectedVisits(
  model: SessionModel,
  context: ModelContext,
  modes: ModeShares = {},
): ExpectedVisits {
  const { rows, modes: known } = checkedModel(model, context)
  for (const [name, shares] of Object.entries(modes)) checkShares(name, shares, known.get(name))
  const chances = new Map<string, ReadonlyMap<string, number>>()
  const names = [start]
  for (const name of names) {
    const followers = chancesAfter(rows, name, modes[name])
    chances.set(name, followers)
    for (const next of followers.keys()) if (next !== end && !names.includes(next)) names.push(next)
  }
  const counts = solved(equations(names, chances))
  if (counts === undefined || counts.some((count) => !(count >= 0)))
    throw new StoreError(
      'INVALID_ARGUMENT',
      `Sessions of this model do not end, as they cannot reach ${end}. Their visits have no expected number.`,
    )
  return summary(names, counts, (name) => known.has(name))
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

/** A state is visited as often as it follows from others; `START` once more. */
function equations(
  names: readonly string[],
  chances: ReadonlyMap<string, ReadonlyMap<string, number>>,
): readonly (readonly number[])[] {
  return names.map((name) => [
    ...names.map((from) => (from === name ? 1 : 0) - (chances.get(from)?.get(name) ?? 0)),
    name === start ? 1 : 0,
  ])
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

function checkShares(
  name: string,
  shares: Readonly<Record<string, number>>,
  known: readonly string[] | undefined,
): void {
  const wrong = (why: string): StoreError =>
    new StoreError('INVALID_ARGUMENT', `The shares of modes of ${name} are wrong: ${why}.`)
  if (known === undefined) throw wrong('it is not an interaction')
  const unknown = Object.keys(shares).find((mode) => !known.includes(mode))
  if (unknown !== undefined) throw wrong(`it has no mode ${unknown}`)
  const sum = Object.values(shares).reduce((total, share) => total + share, 0)
  if (!Object.values(shares).every((share) => share >= 0) || !(sum <= 1 + 1e-9))
    throw wrong('they must be 0 or more, and sum to at most 1')
}
