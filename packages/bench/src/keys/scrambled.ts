import { mix, type Random } from '../random/random.ts'
import { exactRanks, grayRanks, zeta } from '../random/ranks.ts'

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
      const next = (left ^ mix(right + Math.imul(round, 0x9e3779b9))) & (half - 1)
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

const PRIME_LOW = 0x1b3 // the prime is 2^40 + 0x1b3
const OFFSET_HIGH = 0xcbf29ce4
const OFFSET_LOW = 0x84222325
const TWO_21 = 0x20_0000
const TWO_32 = 0x1_0000_0000
const NINE_DIGITS = 1e9
/** Digits of the largest hash, 2^63. */
const MOST_DIGITS = 19
const ZERO = 48

/**
 * The hash of a number as YCSB takes it: FNV-1a over its eight octets, the lowest first, then the absolute value of the
 * 64 bits with their sign. All steps are on 32-bit integers, as neither a `number` nor a quick `bigint` holds 64 bits.
 */
export class Fnv64 {
  #high = 0
  #low = 0
  readonly #digits = Buffer.alloc(MOST_DIGITS)

  /** Hash a whole number from 0 to 2^53. The other methods then speak of this hash. */
  hash(number: number): void {
    this.#high = OFFSET_HIGH | 0
    this.#low = OFFSET_LOW | 0
    this.#addWord(number | 0)
    this.#addWord(Math.floor(number / TWO_32) | 0)
    if (this.#high >= 0) return
    this.#low = -this.#low | 0
    this.#high = (~this.#high + (this.#low === 0 ? 1 : 0)) | 0
  }

  /** The hash modulo `divisor`, which may be up to `mostKeyNumbers`. */
  modulo(divisor: number): number {
    let rest = this.#high % divisor
    rest = (rest * 0x1_0000 + (this.#low >>> 16)) % divisor
    return (rest * 0x1_0000 + (this.#low & 0xffff)) % divisor
  }

  /** The hash in decimal digits: long division by 10^9, in words of 21 bits so that each step is below 2^53. */
  toString(): string {
    const first =
      Math.floor(this.#high / 0x400) * TWO_21 + (((this.#high & 0x3ff) << 11) | (this.#low >>> 21))
    const quotient = Math.floor(first / NINE_DIGITS)
    const second = (first - quotient * NINE_DIGITS) * TWO_21 + (this.#low & (TWO_21 - 1))
    const next = Math.floor(second / NINE_DIGITS)
    const front = quotient * TWO_21 + next
    const leading = Math.floor(front / NINE_DIGITS)
    this.#write(second - next * NINE_DIGITS, MOST_DIGITS - 9, MOST_DIGITS)
    this.#write(front - leading * NINE_DIGITS, MOST_DIGITS - 18, MOST_DIGITS - 9)
    this.#digits[0] = ZERO + leading
    let start = 0
    while (start < MOST_DIGITS - 1 && this.#digits[start] === ZERO) start += 1
    return this.#digits.toString('latin1', start, MOST_DIGITS)
  }

  #addWord(word: number): void {
    let high = this.#high
    let low = this.#low
    for (let shift = 0; shift < 32; shift += 8) {
      low ^= (word >>> shift) & 0xff
      const lower = (low & 0xffff) * PRIME_LOW
      const upper = (low >>> 16) * PRIME_LOW + (lower >>> 16)
      high = (Math.imul(high, PRIME_LOW) + (upper >>> 16) + (low << 8)) | 0
      low = (upper << 16) | (lower & 0xffff)
    }
    this.#high = high
    this.#low = low
  }

  /** A number below 10^9, in the places from `start` to `end`. */
  #write(number: number, start: number, end: number): void {
    let rest = number | 0
    for (let place = end - 1; place >= start; place--) {
      const tenth = (rest / 10) | 0
      this.#digits[place] = ZERO + rest - 10 * tenth
      rest = tenth
    }
  }
}

/** The largest divisor that `modulo` takes. */
export const mostKeyNumbers: number = 2 ** 37
