import { formatDuration, formatExact, formatSize } from '@unikv/bench/words'
import { monotonicClock } from '@unikv/core/platform'
import type { Terminal } from '../../terminal.ts'
import type { ProgressForm } from './progress-options.ts'
import { sentences } from './sentences.ts'
import { type EventOf, leftoversText, type Progress, rateText, runText, startText } from './words.ts'

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

/** A bar that is redrawn in place, on a terminal of this width. */
function bar({ error }: Pick<Terminal, 'error'>, columns: number): Progress {
  const redraw = (line: string): void => error(`\r${line.slice(0, columns - 1)}\u001b[K`)
  let isDrawn = false
  return {
    show: (event) => {
      if (event.type === 'leftovers-removed') {
        error(`\r\u001b[K${leftoversText(event)}\n`)
        return
      }
      isDrawn = true
      if (event.type === 'started') redraw(`${startText(event)}; the estimate improves after the warm-up …`)
      else if (event.type === 'loading') redraw(loadLine(event.target, event.records, event.of))
      else if (event.type === 'interval')
        redraw(`${event.target} · ${runText(event.run)} · ${rateText(event.interval, ' · ')}`)
      else if (event.type === 'removing') redraw(`removing what was written to ${event.target} …`)
      else redraw(barLine(event))
    },
    end: () => {
      if (isDrawn) error('\r\u001b[K')
      isDrawn = false
    },
  }
}

function loadLine(target: string, records: number, of: number): string {
  return `loading ${target}: ${formatExact(records)} of ${formatExact(of)} records …`
}

const barWidth = 28

/** The line of a bar: how far, how long still, and what was measured last. */
export function barLine(event: EventOf<'cell'>): string {
  const { cell, label, size, done, cells, remainingMs } = event
  const filled = Math.round((done / cells) * barWidth)
  const drawing = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
  const percent = `${Math.floor((done / cells) * 100)} %`.padStart(5)
  const left = remainingMs === undefined ? '' : ` · ${formatDuration(remainingMs)} left`
  return `${drawing} ${percent}${left} · ${runText(cell.run)} · ${label}${size === undefined ? '' : ` · ${formatSize(size)}`}`
}
