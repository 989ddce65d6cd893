/** Seeded randomness, so that every run can be repeated: the generator of Mulberry32. */
export interface Random {
  /** A number from 0 to 1, exclusive. */
  next(): number
  /** A whole number from 0 to `below`, exclusive. */
  below(below: number): number
  /** One of these. */
  pick<T>(items: readonly T[]): T
}

/** The sequence of a seed. */
export function random(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { next, below, pick: (items) => items[below(items.length)] as (typeof items)[number] }
}
