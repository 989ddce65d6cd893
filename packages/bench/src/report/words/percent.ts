/** A hit rate in per cent, without what binary fractions add. */
export function percent(rate: number): number {
  return Number((rate * 100).toFixed(2))
}
