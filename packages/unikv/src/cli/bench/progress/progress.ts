import { monotonicClock } from '@unikv/core/platform'
import type { Terminal } from '../../terminal.ts'
import { bar } from './bar.ts'
import { sentences } from './sentences.ts'
import type { Progress, ProgressForm } from './shown.ts'

const loadingEveryMs = 1_000

/** Without a form, a bar on a terminal and sentences elsewhere. */
export function progress(
  terminal: Pick<Terminal, 'columns' | 'error'>,
  form: ProgressForm | undefined,
): Progress {
  if (form === 'json') return jsonLines(terminal)
  const { columns } = terminal
  return columns === undefined || form === 'text' ? sentences(terminal) : bar(terminal, columns)
}

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
