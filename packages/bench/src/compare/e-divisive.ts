import { fastRandom, type Random, shuffle } from '../random/random.ts'

/** A point from which on values are of another law. */
export interface Split {
  /** Index of the first value after it. */
  readonly at: number
  /** Share of orders of the same values whose best split is as clear. */
  readonly p: number
}

/** Values on either side of a split. */
const least = 4
const permutations = 19_999

/** Between that of means, which scatter least in normal noise, and that of medians, which bear outliers best. */
const exponent = 1.5

/**
 * Points at which a series changes: E-divisive (Matteson and James, 2014). The best split of a segment is kept if at most three of 19,999
 * random orders of its values have one as clear; then both parts are searched. If there is none, the part in the middle is looked
 * for that differs most from all before and after it, and no order may have one as clear. Together a series without a change
 * has one in 4,000 cases. The same values and seed give the same points.
 */
export function changePoints(values: readonly number[], seed = 1): readonly Split[] {
  if (values.length < 2 * least) return []
  const found = splitOf(values, seed, false) ?? splitOf(values, seed, true)
  if (found === undefined) return []
  const ends = [0, ...found.at, values.length]
  return ends.slice(1).flatMap((end, i) => {
    const from = ends[i] as number
    const within = changePoints(values.slice(from, end), seed)
    const own = within.map(({ at, p }) => ({ at: at + from, p }))
    return end === values.length ? own : [...own, { at: end, p: found.p }]
  })
}

interface Part {
  readonly at: readonly number[]
  readonly p: number
}

/** The ends of the best part; `undefined`: chance makes one as clear. */
function splitOf(values: readonly number[], seed: number, isInside: boolean): Part | undefined {
  const search = new Search(values, isInside)
  const [clearest, ...at] = search.best()
  const random = fastRandom(seed)
  const most = isInside ? 0 : 3
  let asClear = 0
  for (let drawn = 0; drawn < permutations; drawn++) {
    search.shuffle(random)
    // Sums of the same distances in another order differ in their last digits.
    if (search.best()[0] >= clearest * (1 - 1e-9)) asClear++
    if (asClear > most) return undefined
  }
  return { at, p: (asClear + 1) / (permutations + 1) }
}

function distanceOf(a: number, b: number): number {
  return Math.abs(a - b) ** exponent
}

/** Looks for the part of values, in their order or in another one, that differs most from the rest: the last ones, or some in the middle. */
class Search {
  readonly #count: number
  readonly #distances: Float64Array
  readonly #order: Uint32Array
  /** Sums of all distances before row and column. */
  readonly #sums: Float64Array
  readonly #isInside: boolean

  constructor(values: readonly number[], isInside: boolean) {
    const count = values.length
    this.#count = count
    this.#isInside = isInside
    this.#distances = Float64Array.from({ length: count * count }, (_, i) =>
      distanceOf(values[Math.floor(i / count)] as number, values[i % count] as number),
    )
    this.#order = Uint32Array.from(values, (_, i) => i)
    this.#sums = new Float64Array((count + 1) ** 2)
  }

  shuffle(random: Random): void {
    shuffle(this.#order, random)
  }

  /** The energy distance of the best part from the rest, weighed by the values in both, and its ends within the series. */
  best(): readonly [clearest: number, ...at: number[]] {
    this.#sum()
    const count = this.#count
    const last = count - least
    let clearest = Number.NEGATIVE_INFINITY
    let [at, until] = [0, count]
    for (let from = least; from <= last; from++)
      for (let end = this.#isInside ? from + least : count; end <= (this.#isInside ? last : count); end++) {
        const clear = this.#divergence(from, end)
        if (clear > clearest) [clearest, at, until] = [clear, from, end]
      }
    return until === count ? [clearest, at] : [clearest, at, until]
  }

  /** Energy distance of the values of a part and all others. */
  #divergence(from: number, end: number): number {
    const count = this.#count
    const [own, others] = [end - from, count - end + from]
    const [all, inside] = [this.#between(0, count, 0, count), this.#between(from, end, from, end)]
    const across = this.#between(from, end, 0, count) - inside
    const outside = all - inside - 2 * across
    const mean = across / (own * others)
    return (
      ((own * others) / count) * (2 * mean - inside / (own * (own - 1)) - outside / (others * (others - 1)))
    )
  }

  /** Sum of the distances of the values of two parts. */
  #between(from: number, end: number, otherFrom: number, otherEnd: number): number {
    const width = this.#count + 1
    const at = (row: number, column: number): number => this.#sums[row * width + column] as number
    return at(end, otherEnd) - at(from, otherEnd) - at(end, otherFrom) + at(from, otherFrom)
  }

  #sum(): void {
    const count = this.#count
    const width = count + 1
    for (let row = 0; row < count; row++) {
      const distances = (this.#order[row] as number) * count
      let sum = 0
      for (let column = 0; column < count; column++) {
        sum += this.#distances[distances + (this.#order[column] as number)] as number
        this.#sums[(row + 1) * width + column + 1] = (this.#sums[row * width + column + 1] as number) + sum
      }
    }
  }
}
