/**
 * Answers of a conditional statement in `insertId`, by `LAST_INSERT_ID(expr)`: the only number that a statement
 * can send back in one round trip on MySQL and MariaDB alike, for any FOUND_ROWS flag of the client. 0: no
 * row was there to decide upon. Greater numbers tell of an increment: see {@link counted}.
 */
export const outcomes = {
  /** The record is not a counter, or there was a live one where none may be. */
  refused: 1n,
  /** The sum is not a safe integer. */
  unsafe: 2n,
  /** An expired record was replaced. */
  replaced: 3n,
} as const

// Three ranges, each with room for the sums below and above its middle, and all within a signed 64-bit integer.

/** Less the sum: of a counter without expiry. */
const middleOfForever = 2n ** 53n + 8n
/** Less the sum: of a counter whose expiry did not fit beside it. */
const middleOfUntold = 2n ** 56n
/** Plus the expiry times {@link sums}, less the sum: both, where the sum has 20 bits and the expiry 42 (until 2109). */
const middleOfBoth = 2n ** 62n + 2n ** 19n
const sums = 2n ** 20n
const maxExpiry = 2n ** 42n

/** SQL for the outcome of an increment that takes effect: its sum and, in the same number where they fit, the expiry. */
export function counted(sum: string): string {
  return `CASE WHEN expires_at IS NULL THEN ${middleOfForever}
    WHEN expires_at < ${maxExpiry} AND ABS(${sum}) < ${sums / 2n} THEN ${middleOfBoth} + expires_at * ${sums}
    ELSE ${middleOfUntold} END - ${sum}`
}

/** The answer of an increment. */
export interface Counted {
  readonly value: number
  /** `untold`: there is one, and it did not fit beside the value. */
  readonly expiresAt: number | 'untold' | undefined
}

/** The sum and the expiry in an outcome. */
export function countedOf(outcome: bigint): Counted {
  if (outcome < middleOfUntold / 2n) return { value: Number(middleOfForever - outcome), expiresAt: undefined }
  if (outcome < middleOfBoth / 2n) return { value: Number(middleOfUntold - outcome), expiresAt: 'untold' }
  const both = outcome - 2n ** 62n
  return { value: Number(sums / 2n - (both % sums)), expiresAt: Number(both / sums) }
}
