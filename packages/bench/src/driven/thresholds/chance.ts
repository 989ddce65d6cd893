/** Standard deviations: figures are looked at each second, and seldom cross a bound by chance even so. */
const deviations = 4

/**
 * Whether more than a share of all operations is beyond a bound, not by chance alone: the lower end of Wilson's interval is above
 * the share.
 */
export function isAboveShare(beyond: number, of: number, share: number): boolean {
  if (of === 0) return false
  const square = deviations ** 2
  const found = beyond / of
  const middle = found + square / (2 * of)
  const width = deviations * Math.sqrt((found * (1 - found)) / of + square / (4 * of * of))
  return (middle - width) / (1 + square / of) > share
}
