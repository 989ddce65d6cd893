/** A stream of pseudo-random numbers, the same for the same seed. Not for secrets. */
export interface Random {
  /** The next 32 random bits, as an unsigned integer. */
  uint32(): number
  /** The next number in [0, 1). */
  next(): number
}

const TWO_32 = 0x1_0000_0000
const TWO_53 = 0x20_0000_0000_0000

/**
 * The portable stream: mulberry32, 32 bits of state. Other languages draw the same numbers from the same seed,
 * so recorded workloads can be repeated anywhere. `next()` has a grain of 2^-32.
 */
export function portableRandom(seed: number): Random {
  let state = seed >>> 0
  const uint32 = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return { uint32, next: () => uint32() / TWO_32 }
}

/**
 * The fast stream: xoshiro128** (Blackman and Vigna), 128 bits of state, period 2^128 − 1. `next()` has a grain
 * of 2^-53, fine enough for tables of millions of keys.
 */
export function fastRandom(seed: number): Random {
  return new Xoshiro(seed)
}

class Xoshiro implements Random {
  #a: number
  #b: number
  #c: number
  #d: number

  constructor(seed: number) {
    const seeder = portableRandom(seed)
    this.#a = seeder.uint32() | 0
    this.#b = seeder.uint32() | 0
    this.#c = seeder.uint32() | 0
    this.#d = seeder.uint32() | 1 // never all zero, the one state that the generator cannot leave
  }

  uint32(): number {
    const scrambled = Math.imul(rotateLeft(Math.imul(this.#b, 5), 7), 9)
    const shifted = this.#b << 9
    this.#c ^= this.#a
    this.#d ^= this.#b
    this.#b ^= this.#c
    this.#a ^= this.#d
    this.#c ^= shifted
    this.#d = rotateLeft(this.#d, 11)
    return scrambled >>> 0
  }

  next(): number {
    const high = this.uint32() >>> 5
    const low = this.uint32() >>> 6
    return (high * 0x400_0000 + low) / TWO_53
  }
}

/**
 * A seed of its own for each part of a run (a worker, a store, an object), so that parts draw independent
 * streams and adding a part changes no other. Text and numbers may be mixed.
 */
export function subSeed(seed: number, ...parts: readonly (string | number)[]): number {
  let hash = mix(seed >>> 0)
  for (const part of parts) {
    for (const character of `${typeof part}:${part}`)
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
    hash = mix(hash)
  }
  return hash >>> 0
}

/** A random order of the numbers from 0 to `length` − 1. */
export function shuffledIndexes(length: number, random: Random): Uint32Array {
  const order = Uint32Array.from({ length }, (_, index) => index)
  shuffle(order, random)
  return order
}

/** Put numbers into a random order. */
export function shuffle(order: Uint32Array, random: Random): void {
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random.next() * (last + 1))
    const kept = order[last] as number
    order[last] = order[other] as number
    order[other] = kept
  }
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

/** The finaliser of MurmurHash3: every input bit changes half of the output bits. */
export function mix(word: number): number {
  let mixed = word ^ (word >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
