import { checkOptions, type OptionNames } from '@unikv/core/adapter'
import type { Random } from './random.ts'
import { weightedIndexes } from './weighted.ts'

/** Draws a rank from 0, the commonest, to `items` − 1. The number of items may differ from draw to draw. */
export type GrowingRanks = (items: number) => number

/** A Zipf law: its formula, that of YCSB or the exact one, and its exponent. */
export interface ZipfLaw {
  readonly law: 'ycsb' | 'exact'
  readonly theta: number
}

/** Draws by the formula of a law. */
export function zipfRanks({ law, theta }: ZipfLaw, random: Random): GrowingRanks {
  return law === 'ycsb' ? grayRanks(theta, random) : exactRanks(theta, random)
}

/** A formula in words. */
export function zipfText({ law, theta }: ZipfLaw): string {
  return `${law === 'ycsb' ? 'law of YCSB' : 'exact law'}, θ = ${theta}`
}

/** The exact Zipf law by rejection-inversion (Hörmann and Derflinger, 1996), for any θ above 0. */
export function exactRanks(theta: number, random: Random): GrowingRanks {
  const top = integral(1.5, theta) - 1
  const shortcut = 2 - inverseIntegral(integral(2.5, theta) - 2 ** -theta, theta)
  let known = 0
  let bottom = 0
  return (items) => {
    if (items !== known) {
      known = items
      bottom = integral(items + 0.5, theta)
    }
    for (;;) {
      const area = bottom + random.next() * (top - bottom)
      const x = inverseIntegral(area, theta)
      const rank = Math.min(items, Math.max(1, Math.round(x)))
      if (rank - x <= shortcut || area >= integral(rank + 0.5, theta) - rank ** -theta) return rank - 1
    }
  }
}

/** The numbers that Gray's formula needs for one number of items. */
interface GrayTerms {
  readonly zeta: number
  readonly eta: number
}

/**
 * The Zipf law of Gray et al. (1994), as YCSB draws it: exact for the two commonest ranks, up to a sixth too common for
 * the next ones. For θ below 1.
 *
 * @param zetaOf ζ(items, θ), where it is known beforehand
 */
export function grayRanks(
  theta: number,
  random: Random,
  zetaOf: (items: number) => number = (items) => zeta(items, theta),
): GrowingRanks {
  const alpha = 1 / (1 - theta)
  const zetaOfTwo = 1 + 0.5 ** theta
  let known = 0
  let terms: GrayTerms = { zeta: 1, eta: 0 }
  return (items) => {
    if (items !== known) {
      known = items
      terms = grayTerms(items, theta, zetaOf(items))
    }
    const u = random.next()
    const mass = u * terms.zeta
    if (mass < 1) return 0
    if (mass < zetaOfTwo) return 1
    return Math.min(items - 1, Math.floor(items * (terms.eta * u - terms.eta + 1) ** alpha))
  }
}

function grayTerms(items: number, theta: number, zetaOfItems: number): GrayTerms {
  const eta = (1 - (2 / items) ** (1 - theta)) / (1 - (1 + 0.5 ** theta) / zetaOfItems)
  return { zeta: zetaOfItems, eta }
}

/** Terms that are summed one by one; the formula of Euler and Maclaurin gives the sum of the others to 15 digits. */
const SUMMED = 1_000

/** ζ(n, θ) = Σ i^−θ for i from 1 to n, in a time that does not grow with n. */
export function zeta(items: number, theta: number): number {
  const summed = Math.min(items, SUMMED)
  let sum = 0
  for (let i = summed; i >= 1; i--) sum += i ** -theta // the smallest first, so that rounding does not add up
  return items === summed ? sum : sum + beyond(items, theta) - beyond(summed, theta)
}

/** ∫ x^−θ dx from 1, with no case of its own for θ = 1 (where it is ln x). */
function integral(x: number, theta: number): number {
  const log = Math.log(x)
  return expm1Ratio((1 - theta) * log) * log
}

/** The `x` whose `integral` is `area`. */
function inverseIntegral(area: number, theta: number): number {
  const t = Math.max(-1, area * (1 - theta))
  return Math.exp(log1pRatio(t) * area)
}

/** The sum as far as n, but for a constant. */
function beyond(n: number, theta: number): number {
  const last = n ** -theta
  return (
    integral(n, theta) +
    last / 2 -
    (theta * last) / (12 * n) +
    (theta * (theta + 1) * (theta + 2) * last) / (720 * n ** 3)
  )
}

/** (e^x − 1) / x, also near 0. */
function expm1Ratio(x: number): number {
  return Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x / 2
}

/** ln(1 + x) / x, also near 0. */
function log1pRatio(x: number): number {
  return Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x / 2
}

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
