import { monotonicClock } from '@unikv/core/platform'
import type { Terminal } from '../../terminal.ts'
import type { Progress } from './shown.ts'

const loadingEveryMs = 1_000

/** Each event as a JSON object in a line, for programs. A load is told once a second and at its end: it has an event for each batch. */
export function jsonLines(
  { error }: Pick<Terminal, 'error'>,
  clock: () => number = monotonicClock,
): Progress {
  let loadingAt = Number.NEGATIVE_INFINITY
  return {
    show: (event) => {
      if (event.type === 'loading') {
        const now = clock()
        if (event.records < event.of && now - loadingAt < loadingEveryMs) return
        loadingAt = now
      }
      error(`${JSON.stringify(event)}\n`)
    },
    end: () => {},
  }
}
