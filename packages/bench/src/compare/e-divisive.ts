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

/** Energy distance of so many values of a part and all others, from the sums of distances inside, across and outside. */
function divergence(own: number, others: number, inside: number, across: number, outside: number): number {
  const mean = across / (own * others)
  return (
    ((own * others) / (own + others)) *
    (2 * mean - inside / (own * (own - 1)) - outside / (others * (others - 1)))
  )
}

/** Looks for the part of values, in their order or in another one, that differs most from the rest: the last ones, or some in the middle. */
class Search {
  readonly #count: number
  /** One for each pair of values, row by row. */
  readonly #distances: Float64Array
  /** Sums of the distances of each value from all others. */
  readonly #totals: Float64Array
  readonly #order: Uint32Array
  readonly #isInside: boolean
  /** Sums of the distances of the first values, in their order, from all. */
  readonly #rows: Float64Array
  /** Sums of the distances of the first values from as many or fewer first ones, row by row; of the last ones only those of as many. */
  readonly #sums: Float64Array

  constructor(values: readonly number[], isInside: boolean) {
    const count = values.length
    this.#count = count
    this.#isInside = isInside
    this.#distances = new Float64Array(count * count)
    this.#totals = new Float64Array(count)
    for (const [i, a] of values.entries())
      for (let j = 0; j < i; j++) {
        const distance = Math.abs(a - (values[j] as number)) ** exponent
        this.#distances[i * count + j] = this.#distances[j * count + i] = distance
        this.#totals[i] = (this.#totals[i] as number) + distance
        this.#totals[j] = (this.#totals[j] as number) + distance
      }
    this.#order = Uint32Array.from(values, (_, i) => i)
    this.#rows = new Float64Array(count + 1)
    this.#sums = new Float64Array((count + 1) ** 2)
  }

  shuffle(random: Random): void {
    shuffle(this.#order, random)
  }

  /** The energy distance of the best part from the rest, weighed by the values in both, and its ends within the series. */
  best(): readonly [clearest: number, ...at: number[]] {
    this.#sum()
    const count = this.#count
    const isInside = this.#isInside
    const rows = this.#rows
    const sums = this.#sums
    const width = count + 1
    const all = rows[count] as number
    const last = count - least
    let clearest = Number.NEGATIVE_INFINITY
    let at = 0
    let until = count
    for (let from = least; from <= last; from++) {
      const before = rows[from] as number
      const first = sums[from * width + from] as number
      const stop = isInside ? last : count
      for (let end = isInside ? from + least : count; end <= stop; end++) {
        // Beside the last ones are only those before them.
        const inside = isInside
          ? (sums[end * width + end] as number) - 2 * (sums[end * width + from] as number) + first
          : all - 2 * before + first
        const across = (rows[end] as number) - before - inside
        const clear = divergence(end - from, count - end + from, inside, across, all - inside - 2 * across)
        if (clear <= clearest) continue
        clearest = clear
        at = from
        until = end
      }
    }
    return isInside ? [clearest, at, until] : [clearest, at]
  }

  #sum(): void {
    const count = this.#count
    const isInside = this.#isInside
    const order = this.#order
    const distances = this.#distances
    const rows = this.#rows
    const sums = this.#sums
    const width = count + 1
    for (let row = 0; row < count; row++) {
      const value = order[row] as number
      rows[row + 1] = (rows[row] as number) + (this.#totals[value] as number)
      const from = value * count
      const above = row * width
      const below = above + width
      let sum = 0
      for (let column = 0; column < row; column++) {
        sum += distances[from + (order[column] as number)] as number
        if (isInside) sums[below + column + 1] = (sums[above + column + 1] as number) + sum
      }
      sums[below + row + 1] = (sums[above + row] as number) + 2 * sum
    }
  }
}
