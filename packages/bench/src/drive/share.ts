/** The part of a run that one of several drivers does. */
export interface Share {
  /** Counted from 0. */
  readonly index: number
  /** How many drivers there are. */
  readonly of: number
}

/** All of a run. */
export const whole: Share = { index: 0, of: 1 }

/** The part of a count: what cannot be divided goes to the first ones. */
export function partOf(count: number, { index, of }: Share): number {
  return Math.floor(count / of) + (index < count % of ? 1 : 0)
}

/** The part of a range of records, without a gap between neighbors. */
export function rangeOf(
  { first, count }: { readonly first: number; readonly count: number },
  { index, of }: Share,
): { readonly first: number; readonly count: number } {
  const from = Math.floor((count * index) / of)
  return { first: first + from, count: Math.floor((count * (index + 1)) / of) - from }
}

/** Numbers of records for a driver that counts those that it knows: all that were loaded, then each `of`-th new one. */
export function recordNumbers(end: number, { index, of }: Share): (number: number) => number {
  if (of === 1) return (number) => number
  return (number) => (number < end ? number : end + (number - end) * of + index)
}
