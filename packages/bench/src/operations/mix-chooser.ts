import type { Random } from '../random/random.ts'

/** Draws indexes by weight: one random number a draw. */
export function mixChooser(weights: readonly number[], random: Random): () => number {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let below = 0
  const bounds = weights.map((weight) => (below += weight / total))
  const last = weights.length - 1
  return () => {
    const drawn = random.next()
    for (let index = 0; index < last; index++) if (drawn < (bounds[index] as number)) return index
    return last
  }
}
