/** Longer times to live are taken for points in time. */
const maxRelativeSeconds = 30 * 24 * 60 * 60
/** The server's numbers have 32 bits: what expires later is told to it as never. */
const maxAbsoluteSeconds = 2 ** 31 - 1

/**
 * The flag that has the server remove a record, a second or two after it has expired: never before, as its clock
 * moves once a second. Up to 30 days it counts from now, independently of the server's clock.
 */
export function exptimeFlag(expiresAt: number, now: number): string {
  if (expiresAt <= now) return ' T-1'
  const seconds = Math.ceil((expiresAt - now) / 1_000) + 1
  if (seconds <= maxRelativeSeconds) return ` T${seconds}`
  const at = Math.ceil(expiresAt / 1_000) + 1
  return at <= maxAbsoluteSeconds ? ` T${at}` : ''
}
