import { exactRanks, grayRanks } from '../random/growing-ranks.ts'
import type { Random } from '../random/random.ts'
import { scatter } from '../random/scatter.ts'
import { zeta } from '../random/zeta.ts'
import { Fnv64 } from './fnv64.ts'

const YCSB_ITEMS = 10_000_000_001
/** ζ of these items and θ = 0.99, as YCSB has it. */
const YCSB_ZETA = 26.46902820178302

/**
 * Numbers from 0 to `items` − 1 as YCSB scrambles them: ranks of 10^10 + 1 items, hashed. Ranks share numbers, so the most
 * popular number is far less popular than the most popular rank.
 */
export function ycsbScrambled(theta: number, items: number, random: Random): () => number {
  const ranks = grayRanks(theta, random, (all) => (theta === 0.99 ? YCSB_ZETA : zeta(all, theta)))
  const fnv = new Fnv64()
  return () => {
    fnv.hash(ranks(YCSB_ITEMS))
    return fnv.modulo(items)
  }
}

/** Numbers from 0 to `items` − 1 whose popularity follows the exact law: every rank has a number of its own. */
export function exactScrambled(theta: number, items: number, random: Random): () => number {
  const ranks = exactRanks(theta, random)
  const place = scatter(items)
  return () => place(ranks(items))
}
