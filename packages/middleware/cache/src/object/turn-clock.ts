import { agingClock, setImmediate } from '@unikv/core/platform'

/** Longest use of one look, for work that never gives the event loop back. */
const mostUses = 1_024

let now = 0
let usesLeft = 0

/**
 * Monotonic time in milliseconds, looked at once in a turn of the event loop: a look at a clock takes longer than a hit does.
 * The next turn begins with a look of its own, however long the process stood still in between. Time that passes while code blocks within a turn is
 * not seen in this turn.
 */
export function turnClock(): number {
  return usesLeft-- > 0 ? now : look()
}

function look(): number {
  if (!isArmed) arm()
  now = agingClock()
  usesLeft = mostUses
  return now
}

let isArmed = false

function arm(): void {
  isArmed = true
  setImmediate(() => {
    isArmed = false
    usesLeft = 0
  })
}
