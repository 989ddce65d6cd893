import { normalQuantile } from './normal.ts'

/** A share of things that were counted, and the ends of its 95 % confidence interval. All are between 0 and 1. */
export interface ShareInterval {
  readonly share: number
  readonly low: number
  readonly high: number
}

/**
 * The share of `found` in `of`, by Wilson's interval. None of n is not proof of none: then the upper end is 3 / n (the rule of
 * three), and all of n are treated likewise.
 *
 * @throws {RangeError} unless 0 ≤ found ≤ of, and of > 0
 */
export function shareInterval(found: number, of: number): ShareInterval {
  if (!(found >= 0 && found <= of && of > 0))
    throw new RangeError(`A share needs a count within its total, got ${found} of ${of}.`)
  const share = found / of
  const bound = Math.min(1, 3 / of)
  if (found === 0) return { share, low: 0, high: bound }
  if (found === of) return { share, low: 1 - bound, high: 1 }
  const z = normalQuantile(0.975)
  const weight = 1 + z ** 2 / of
  const middle = (share + z ** 2 / (2 * of)) / weight
  const halfWidth = (z / weight) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2))
  return { share, low: Math.max(0, middle - halfWidth), high: Math.min(1, middle + halfWidth) }
}
