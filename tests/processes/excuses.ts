/** A call that failed. Times are milliseconds of the clock that all processes share. */
export interface Rejection {
  readonly call: 'read' | 'write'
  readonly key: string
  readonly startMs: number
  readonly endMs: number
  readonly code: string
  /** Its own deadline. */
  readonly timeoutMs: number
  /** When its caller gave it up; `undefined`: never. */
  readonly abortedAtMs?: number | undefined
}

/** What the test did that lets calls fail. */
export interface Outage {
  readonly calls: readonly Rejection['call'][]
  readonly codes: readonly string[]
  readonly fromMs: number
  readonly untilMs: number
  /** It explains only what took so long. @default 0 */
  readonly leastMs?: number
}

/** Three ticks of the clock of deadlines: so early may it be in a process that had no time for its timers. */
const earlyMs = 75

/** The failures that nobody has earned: neither their own abort, nor their own deadline, nor an outage of the test. */
export function unexcused(
  rejections: readonly Rejection[],
  outages: readonly Outage[] = [],
): readonly Rejection[] {
  return rejections.filter(
    (one) => !isOwnAbort(one) && !isOwnDeadline(one) && !outages.some((outage) => explains(outage, one)),
  )
}

function isOwnAbort({ code, abortedAtMs, endMs }: Rejection): boolean {
  return ['ABORTED', 'OUTCOME_UNKNOWN'].includes(code) && abortedAtMs !== undefined && abortedAtMs <= endMs
}

function isOwnDeadline({ code, startMs, endMs, timeoutMs }: Rejection): boolean {
  return ['TIMEOUT', 'OUTCOME_UNKNOWN'].includes(code) && endMs - startMs >= timeoutMs - earlyMs
}

function explains({ calls, codes, fromMs, untilMs, leastMs = 0 }: Outage, one: Rejection): boolean {
  if (one.endMs - one.startMs < leastMs) return false
  return calls.includes(one.call) && codes.includes(one.code) && one.endMs >= fromMs && one.startMs <= untilMs
}
