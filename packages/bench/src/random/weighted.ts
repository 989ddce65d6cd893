import type { StoreError } from '@unikv/core'
import { readWholeNow } from '@unikv/core/files'
import { invalidArgument } from '../options/invalid.ts'
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

/** How often numbers were seen: bucket i counts those from i × `blockSize` to (i + 1) × `blockSize` − 1. */
export interface NumberHistogram {
  readonly blockSize: number
  /** How often, for each bucket; their sum is above 0. */
  readonly buckets: readonly number[]
}

/**
 * Read a histogram in YCSB's form: a line `BlockSize<TAB>N`, then lines `bucket<TAB>count`. Buckets that are left out
 * count 0.
 *
 * @param name Where the text is from, for errors
 * @throws {StoreError} `INVALID_ARGUMENT` with the line that is wrong
 */
function parseNumberHistogram(text: string, name: string): NumberHistogram {
  const lines = text.split(/\r?\n/).map((line, index) => ({ words: line.trim().split(/\s+/), at: index + 1 }))
  const [head, ...rows] = lines.filter(({ words }) => words[0] !== '')
  const blockSize = Number(head?.words[1])
  if (head?.words.length !== 2 || head.words[0] !== 'BlockSize' || !isCount(blockSize) || blockSize < 1)
    throw wrong(name, head?.at ?? 1, 'must be BlockSize, a tab and the width of a bucket')
  const buckets: number[] = []
  for (const { words, at } of rows) {
    const [bucket, count] = words.map(Number)
    if (words.length !== 2 || !isCount(bucket) || bucket >= MOST_BUCKETS || !isCount(count))
      throw wrong(name, at, `must be a bucket from 0 to ${MOST_BUCKETS - 1}, a tab and a count`)
    while (buckets.length <= bucket) buckets.push(0)
    buckets[bucket] = count
  }
  if (!buckets.some((count) => count > 0))
    throw invalidArgument(`The histogram ${name} counts nothing. Give a bucket a count above 0.`)
  return { blockSize, buckets }
}

/**
 * Read a histogram from a file.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be read, or with the line that is wrong
 */
export function readNumberHistogram(path: string): NumberHistogram {
  if (path === '') throw invalidArgument("A histogram needs a file: write 'histogram:FILE'.")
  return parseNumberHistogram(textOf(path), path)
}

function textOf(path: string): string {
  try {
    return readWholeNow(path).toString('utf8')
  } catch (cause) {
    throw invalidArgument(`The histogram ${path} cannot be read.`, cause)
  }
}

const MOST_BUCKETS = 1_000_000

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0
}

function wrong(name: string, line: number, must: string): StoreError {
  return invalidArgument(`Line ${line} of the histogram ${name} ${must}.`)
}
