/** Draws of every test of a distribution. */
export const draws = 1_000_000

/** How often each number from 0 to `items` − 1 was drawn. */
export function frequencies(next: () => number, items: number): Float64Array {
  const found = new Float64Array(items)
  for (let i = 0; i < draws; i++) found[next()]! += 1
  return found
}

/** Pearson's statistic of what was found against what a law expects, with as many cells as `shares` has. */
export function chiSquare(found: Float64Array, shares: readonly number[]): number {
  return shares.reduce((sum, share, cell) => sum + (found[cell]! - draws * share) ** 2 / (draws * share), 0)
}

/** 3.29 standard deviations of a count: 99.9 % of all samples stay within. */
export function deviation(share: number): number {
  return 3.29 * Math.sqrt(draws * share * (1 - share))
}

/** The sum of the first `count` numbers. */
export function mass(numbers: ArrayLike<number>, count: number): number {
  return Array.from(numbers)
    .slice(0, count)
    .reduce((sum, number) => sum + number, 0)
}
