import { StoreError } from '@unikv/core'
import { isPlainObject } from '@unikv/core/platform'
import type { Modes } from '../model/checked-rows.ts'

/** How often results have modes: for each interaction, the share of each mode. The rest has none. */
export type ModeShares = Readonly<Record<string, Readonly<Record<string, number>>>>

/**
 * Refuse shares that are not ones of modes that interactions have.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function checkModeShares(shares: ModeShares, known: Modes): void {
  if (!isPlainObject(shares))
    throw new StoreError(
      'INVALID_ARGUMENT',
      'The shares of modes must be an object with those of each interaction.',
    )
  for (const [name, own] of Object.entries(shares)) {
    const problem = problemOf(own, known.get(name))
    if (problem !== undefined)
      throw new StoreError('INVALID_ARGUMENT', `The shares of modes of ${name} are wrong: ${problem}.`)
  }
}

function problemOf(
  shares: Readonly<Record<string, unknown>>,
  known: readonly string[] | undefined,
): string | undefined {
  if (known === undefined) return 'it is not an interaction'
  if (!isPlainObject(shares)) return 'they are not an object'
  const unknown = Object.keys(shares).find((mode) => !known.includes(mode))
  if (unknown !== undefined) return `it has no mode ${unknown}`
  const all = Object.values(shares)
  const sum = all.reduce((total: number, share) => total + (typeof share === 'number' ? share : NaN), 0)
  const isRight = all.every((share) => (share as number) >= 0) && sum <= 1 + 1e-9
  return isRight ? undefined : 'they must be 0 or more, and sum to at most 1'
}
