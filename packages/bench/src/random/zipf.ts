import { checkOptions, type OptionNames } from '@unikv/core/adapter'
import { weightedIndexes } from './alias.ts'
import { exactRanks } from './growing-ranks.ts'
import type { Random } from './random.ts'

/** Draws ranks from 0 (the most popular) to `items` − 1. */
export interface RankDistribution {
  /** The description in the result file, such as `zipf-exact(θ=0.99, n=1000)`. */
  readonly law: string
  /** The next rank, from 0, the commonest. */
  next(): number
}

/** How many items there are, and how skewed their popularity is. */
export interface ZipfOptions {
  readonly items: number
  /** Exponent of the law, above 0; item i has weight i^−θ. @default 0.99 */
  readonly theta?: number | undefined
}

const optionNames: OptionNames<ZipfOptions> = { items: true, theta: true }

/**
 * The exact Zipf law by Walker's alias method: a table of 12 bytes an item, one random number and one comparison
 * a draw, for any exponent. The way to go for up to some ten million items.
 *
 * @throws {RangeError} if there are no items or θ is not above 0
 */
export function zipfAlias(options: ZipfOptions, random: Random): RankDistribution {
  const { items, theta } = checked('zipfAlias', options)
  const weights = Float64Array.from({ length: items }, (_, index) => (index + 1) ** -theta)
  return { law: exactLaw(theta, items), next: weightedIndexes(weights, random) }
}

/**
 * The exact Zipf law by rejection-inversion (Hörmann and Derflinger, 1996): no table, so any number of items,
 * at about three times the cost of a draw from `zipfAlias`.
 *
 * @throws {RangeError} if there are no items or θ is not above 0
 */
export function zipfRejection(options: ZipfOptions, random: Random): RankDistribution {
  const { items, theta } = checked('zipfRejection', options)
  const ranks = exactRanks(theta, random)
  return { law: exactLaw(theta, items), next: () => ranks(items) }
}

function exactLaw(theta: number, items: number): string {
  return `zipf-exact(θ=${theta}, n=${items})`
}

function checked(whose: string, options: ZipfOptions): { items: number; theta: number } {
  checkOptions(whose, options, optionNames, 'INVALID_ARGUMENT')
  const { items, theta = 0.99 } = options
  if (!Number.isSafeInteger(items) || items < 1) throw new RangeError('A Zipf law needs one item or more.')
  if (!Number.isFinite(theta) || theta <= 0)
    throw new RangeError('The exponent of a Zipf law must be above 0.')
  return { items, theta }
}
