/** Repeatable randomness: the same seed, the same numbers. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  readonly below: (below: number) => number
  /** One of these. */
  readonly pick: <T>(items: readonly T[]) => T
  /** The same items in another order. */
  readonly shuffle: <T>(items: readonly T[]) => T[]
  readonly bytes: (length: number) => Uint8Array
}

/** Numbers of a multiplicative congruential generator with a mixed output: not for secrets. */
export function random(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x45d9f3b)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number) => next() % limit
  return {
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    shuffle: (items) => {
      const left = [...items]
      const order: typeof left = []
      while (left.length > 0) order.push(...left.splice(below(left.length), 1))
      return order
    },
    bytes: (length) => Uint8Array.from({ length }, () => next() & 0xff),
  }
}
