import { wallClock } from '@unikv/core/platform'

let last = 0

/**
 * Microseconds since the epoch, for one write: above all that this process gave before, whichever store they were for.
 * Cassandra decides by them which write is the later one, and of two equal ones a deletion wins.
 */
export function nextTimestamp(): number {
  last = Math.max(last + 1, wallClock() * 1_000)
  return last
}
