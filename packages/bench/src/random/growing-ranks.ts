import type { Random } from './random.ts'
import { integral, inverseIntegral, zeta } from './zeta.ts'

/** Draws a rank from 0, the commonest, to `items` − 1. The number of items may differ from draw to draw. */
export type GrowingRanks = (items: number) => number

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
