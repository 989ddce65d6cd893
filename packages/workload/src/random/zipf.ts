import { checkOptions, type OptionNames } from '@unikv/core/adapter'
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

/** ζ(n, θ) = Σ i^−θ for i from 1 to n, summed from the smallest term so that rounding does not add up. */
export function zeta(items: number, theta: number): number {
  let sum = 0
  for (let i = items; i >= 1; i--) sum += i ** -theta
  return sum
}

/**
 * The exact Zipf law by Walker's alias method: a table of 12 bytes an item, one random number and one comparison
 * a draw, whatever the exponent. The way to go for up to some ten million items.
 *
 * @throws {RangeError} if there are no items or θ is not above 0
 */
export function zipfAlias(options: ZipfOptions, random: Random): RankDistribution {
  checkOptions('zipfAlias', options, optionNames, 'INVALID_ARGUMENT')
  const { items, theta = 0.99 } = options
  checkZipf(items, theta)
  const { keep, alias } = aliasTable(items, theta)
  return {
    law: `zipf-exact(θ=${theta}, n=${items})`,
    next: () => {
      const position = random.next() * items
      const column = Math.floor(position)
      return position - column < (keep[column] as number) ? column : (alias[column] as number)
    },
  }
}

/**
 * The exact Zipf law by rejection-inversion (Hörmann and Derflinger, 1996): no table, so any number of items,
 * at about three times the cost of a draw from `zipfAlias`.
 *
 * @throws {RangeError} if there are no items or θ is not above 0
 */
export function zipfRejection(options: ZipfOptions, random: Random): RankDistribution {
  checkOptions('zipfRejection', options, optionNames, 'INVALID_ARGUMENT')
  const { items, theta = 0.99 } = options
  checkZipf(items, theta)
  const top = integral(1.5, theta) - 1
  const bottom = integral(items + 0.5, theta)
  const shortcut = 2 - inverseIntegral(integral(2.5, theta) - 2 ** -theta, theta)
  const next = (): number => {
    for (;;) {
      const area = bottom + random.next() * (top - bottom)
      const x = inverseIntegral(area, theta)
      const rank = Math.min(items, Math.max(1, Math.round(x)))
      if (rank - x <= shortcut || area >= integral(rank + 0.5, theta) - rank ** -theta) return rank - 1
    }
  }
  return { law: `zipf-exact(θ=${theta}, n=${items})`, next }
}

/**
 * Every column holds its own item with probability `keep`, and one other item, its alias, with the rest
 * (Vose, 1991: columns that are too poor are filled from columns that are too rich).
 */
function aliasTable(items: number, theta: number): { keep: Float64Array; alias: Uint32Array } {
  const total = zeta(items, theta)
  const keep = Float64Array.from({ length: items }, (_, index) => ((index + 1) ** -theta / total) * items)
  const alias = Uint32Array.from({ length: items }, (_, index) => index)
  const poor: number[] = []
  const rich: number[] = []
  for (let column = 0; column < items; column++) (share(keep, column) < 1 ? poor : rich).push(column)
  while (poor.length > 0 && rich.length > 0) {
    const taker = poor.pop() as number
    const giver = rich[rich.length - 1] as number
    alias[taker] = giver
    keep[giver] = share(keep, giver) + share(keep, taker) - 1
    if (share(keep, giver) < 1) poor.push(rich.pop() as number)
  }
  for (const column of [...poor, ...rich]) keep[column] = 1 // what rounding left over
  return { keep, alias }
}

function share(keep: Float64Array, column: number): number {
  return keep[column] as number
}

/** ∫ x^−θ dx, with its constant chosen so that θ = 1 (where it is ln x) needs no case of its own. */
function integral(x: number, theta: number): number {
  const log = Math.log(x)
  return expm1Ratio((1 - theta) * log) * log
}

function inverseIntegral(area: number, theta: number): number {
  const t = Math.max(-1, area * (1 - theta))
  return Math.exp(log1pRatio(t) * area)
}

/** (e^x − 1) / x, also near 0. */
function expm1Ratio(x: number): number {
  return Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x / 2
}

/** ln(1 + x) / x, also near 0. */
function log1pRatio(x: number): number {
  return Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x / 2
}

function checkZipf(items: number, theta: number): void {
  if (!Number.isSafeInteger(items) || items < 1) throw new RangeError('A Zipf law needs one item or more.')
  if (!Number.isFinite(theta) || theta <= 0)
    throw new RangeError('The exponent of a Zipf law must be above 0.')
}
