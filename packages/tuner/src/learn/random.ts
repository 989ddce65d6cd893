/** Uniform draws in [0, 1) from a seed: mulberry32. */
export function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A draw of the Poisson distribution with mean 1. */
export function poisson(random: () => number): number {
  const limit = Math.exp(-1)
  let [count, product] = [0, random()]
  for (; product > limit; count += 1) product *= random()
  return count
}
