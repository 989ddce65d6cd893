const PRIME_LOW = 0x1b3 // the prime is 2^40 + 0x1b3
const TWO_32 = 0x1_0000_0000
const TEN_DIGITS = 1e10

/**
 * The hash of a number as YCSB takes it: FNV-1a over its eight octets, the lowest first, then the absolute value of the
 * 64 bits with their sign. Two words of 32 bits hold it, since a `number` cannot: no draw of a key allocates.
 */
export class Fnv64 {
  #high = 0
  #low = 0

  /** Hash a whole number from 0 to 2^53. The other methods then speak of this hash. */
  hash(number: number): void {
    this.#high = 0xcbf29ce4
    this.#low = 0x84222325
    this.#addWord(number >>> 0)
    this.#addWord(Math.floor(number / TWO_32))
    if (this.#high >= 0x8000_0000) this.#negate()
  }

  /** The hash modulo `divisor`, which may be up to 2^37. */
  modulo(divisor: number): number {
    let rest = this.#high % divisor
    rest = (rest * 0x1_0000 + (this.#low >>> 16)) % divisor
    return (rest * 0x1_0000 + (this.#low & 0xffff)) % divisor
  }

  /** The hash in decimal digits. */
  toString(): string {
    // Each step is exact: all results are multiples of a large power of two, or below 2^53
    const shifted = this.#high * TWO_32
    let tail = shifted % TEN_DIGITS
    let front = (shifted - tail) / TEN_DIGITS
    tail += this.#low
    if (tail >= TEN_DIGITS) {
      tail -= TEN_DIGITS
      front += 1
    }
    return front === 0 ? String(tail) : String(front) + String(tail).padStart(10, '0')
  }

  #addWord(word: number): void {
    for (let shift = 0; shift < 32; shift += 8) {
      const low = (this.#low ^ ((word >>> shift) & 0xff)) >>> 0
      const product = low * PRIME_LOW // below 2^41
      this.#high = (Math.imul(this.#high, PRIME_LOW) + Math.floor(product / TWO_32) + (low << 8)) >>> 0
      this.#low = product >>> 0
    }
  }

  #negate(): void {
    this.#low = -this.#low >>> 0
    this.#high = (~this.#high + (this.#low === 0 ? 1 : 0)) >>> 0
  }
}

/** The largest divisor that `modulo` takes. */
export const mostKeyNumbers: number = 2 ** 37
