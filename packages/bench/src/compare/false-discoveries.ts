/**
 * The level at which each of several tests decides, so that of the differences that are called one at most `level` are none, and with no
 * difference at all at most such a share of comparisons calls one: Benjamini and Hochberg, 1995. Intervals of 1 − the returned level are
 * right for those that were selected, too (Benjamini and Yekutieli, 2005).
 *
 * @param chances probability of each test if there were no difference
 * @param level of all tests together
 */
export function discoveryLevel(chances: readonly number[], level: number): number {
  const sorted = chances.toSorted((a, b) => a - b)
  const found = sorted.findLastIndex((chance, i) => chance <= (level * (i + 1)) / sorted.length)
  return (level * Math.max(1, found + 1)) / Math.max(1, sorted.length)
}
