import { exactRanks, grayRanks } from '../random/growing-ranks.ts'
import type { Random } from '../random/random.ts'
import { zeta } from '../random/zeta.ts'
import { Fnv64 } from './fnv64.ts'

const ROUNDS = 4

/**
 * A fixed order of the numbers from 0 to `size` − 1, as a function from place to number: every number stands at one
 * place, and neighbours stand far apart. A Feistel network; results beyond `size` go through it again, so no number
 * comes up twice. For `size` up to 2^52.
 */
export function scatter(size: number): (place: number) => number {
  const half = 2 ** Math.max(1, Math.ceil(Math.log2(size) / 2))
  const once = (place: number): number => {
    let left = Math.floor(place / half)
    let right = place % half
    for (let round = 1; round <= ROUNDS; round++) {
      const next = (left ^ mixed(right, round)) & (half - 1)
      left = right
      right = next
    }
    return left * half + right
  }
  return (place) => {
    let number = once(place)
    while (number >= size) number = once(number)
    return number
  }
}

/** The finaliser of MurmurHash3 over a number and a round. */
function mixed(number: number, round: number): number {
  let word = number + Math.imul(round, 0x9e3779b9)
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35)
  return word ^ (word >>> 16)
}

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
