import { type Random, shuffledIndexes } from '../../random/random.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'

/** Draws of a session or of a population, from one stream of random numbers. */
export class Draws {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  /** A number in [0, 1). */
  share(): number {
    return this.#random.next()
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.#random.next() * (most - least + 1))
  }

  /** A number in [`least`, `most`). */
  double(least: number, most: number): number {
    return least + this.#random.next() * (most - least)
  }

  /** Whether something of this probability happens. */
  chance(probability: number): boolean {
    return this.#random.next() < probability
  }

  /** One of the items; `undefined` if there are none. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[this.int(0, items.length - 1)]
  }

  /** Some of the items, all different, in random order; all of them if there are no more. */
  some<T>(items: readonly T[], count: number): readonly T[] {
    const indexes = this.distinct(Math.min(count, items.length), 0, items.length)
    return indexes.map((index) => items[index] as T)
  }

  /** So many different whole numbers of the `size` ones from `first` on: Floyd's sampling, then a shuffle. */
  distinct(count: number, first: number, size: number): readonly number[] {
    const found = new Set<number>()
    for (let last = size - count; last < size; last++) {
      const drawn = this.int(0, last)
      found.add(found.has(drawn) ? last : drawn)
    }
    const drawn = [...found]
    return Array.from(shuffledIndexes(count, this.#random), (index) => first + (drawn[index] as number))
  }

  /** Lower-case letters. */
  text(length: number): string {
    let text = ''
    while (text.length < length) text += letters[this.int(0, letters.length - 1)]
    return text
  }
}
