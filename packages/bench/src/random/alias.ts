import type { Random } from './random.ts'

/**
 * Draws indexes by weight with Walker's alias method: a table of 12 bytes an index, one random number and one
 * comparison a draw. The weights must not be negative, and their sum must be above 0.
 */
export function weightedIndexes(weights: ArrayLike<number>, random: Random): () => number {
  const { keep, alias } = aliasTable(weights)
  const columns = keep.length
  return () => {
    const position = random.next() * columns
    const column = Math.floor(position)
    return position - column < (keep[column] as number) ? column : (alias[column] as number)
  }
}

/**
 * Every column holds its own index with probability `keep`, and one other index, its alias, with the rest
 * (Vose, 1991: columns that are too poor are filled from columns that are too rich).
 */
function aliasTable(weights: ArrayLike<number>): { keep: Float64Array; alias: Uint32Array } {
  const keep = Float64Array.from(weights)
  const alias = Uint32Array.from({ length: keep.length }, (_, index) => index)
  const scale = keep.length / keep.reduceRight((sum, weight) => sum + weight, 0)
  const poor: number[] = []
  const rich: number[] = []
  for (let column = 0; column < keep.length; column++) {
    keep[column] = share(keep, column) * scale
    ;(share(keep, column) < 1 ? poor : rich).push(column)
  }
  while (poor.length > 0 && rich.length > 0) {
    const taker = poor.pop() as number
    const giver = rich[rich.length - 1] as number
    alias[taker] = giver
    keep[giver] = share(keep, giver) + share(keep, taker) - 1
    if (share(keep, giver) < 1) poor.push(rich.pop() as number)
  }
  for (const column of [...poor, ...rich]) keep[column] = 1 // what rounding left over
  return { keep, alias }
}

function share(keep: Float64Array, column: number): number {
  return keep[column] as number
}
