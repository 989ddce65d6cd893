/** Uniform in [0, 1): the generator mulberry32 of Tommy Ettinger (2017). The same seed, the same numbers. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Random decisions of a schedule, by the numbers of `mulberry32`: the same seed, the same schedule. Not for secrets. */
export class Random {
  readonly #next: () => number

  /** @param seed An integer; its low 32 bits count. */
  constructor(seed: number) {
    this.#next = mulberry32(seed)
  }

  /** Uniform in [0, 1). */
  next(): number {
    return this.#next()
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit)
  }

  /** True in this share of the calls, from 0 for never to 1 for always. */
  chance(probability: number): boolean {
    return this.#next() < probability
  }

  /** One of these, of which there is at least one. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }
}
