import type { BenchCell, BenchEvent, FinishedCell } from '@unikv/workload'
import { formatSize } from '@unikv/workload/data'
import type { SeriesInterval } from '@unikv/workload/loop'
import { formatCount, formatDuration, formatExact, formatMs } from '@unikv/workload/report'
import type { Terminal } from '../terminal.ts'

/** Shows how a run goes on. */
export interface Progress {
  readonly show: (event: BenchEvent<BenchCell>) => void
  /** Leave the line free for what comes next. */
  readonly end: () => void
}

/** A bar that is redrawn in place on a terminal; a JSON object a line elsewhere, for programs and logs. */
export function progress(terminal: Pick<Terminal, 'columns' | 'error'>): Progress {
  return terminal.columns === undefined ? jsonLines(terminal) : bar(terminal, terminal.columns)
}

function jsonLines({ error }: Pick<Terminal, 'error'>): Progress {
  return { show: (event) => error(`${JSON.stringify(event)}\n`), end: () => {} }
}

function bar({ error }: Pick<Terminal, 'error'>, columns: number): Progress {
  const redraw = (line: string): void => error(`\r${line.slice(0, columns - 1)}\u001b[K`)
  let isDrawn = false
  return {
    show: (event) => {
      if (event.type === 'leftovers-removed') {
        const runs = event.runs.length === 1 ? 'an earlier run' : `${event.runs.length} earlier runs`
        error(`\r\u001b[K${event.target}: removed what ${runs} left behind\n`)
        return
      }
      isDrawn = true
      if (event.type === 'started') redraw(startLine(event.cells, event.leastMs))
      else if (event.type === 'loading') redraw(loadLine(event.target, event.records, event.of))
      else if (event.type === 'interval') redraw(intervalLine(event.target, event.run, event.interval))
      else if (event.type === 'removing') redraw(`removing what was written to ${event.target} …`)
      else redraw(barLine(event))
    },
    end: () => {
      if (isDrawn) error('\r\u001b[K')
      isDrawn = false
    },
  }
}

function startLine(cells: number, leastMs: number): string {
  const least = leastMs < 1_000 ? '' : `, at least ${formatDuration(leastMs)}`
  return `${cells} measurements${least}; the estimate improves after the warm-up …`
}

function loadLine(target: string, records: number, of: number): string {
  return `loading ${target}: ${formatExact(records)} of ${formatExact(of)} records …`
}

/** The second that just passed. */
function intervalLine(target: string, run: number, { all, lengthMs }: SeriesInterval): string {
  const rate = formatCount((all.operations / lengthMs) * 1_000)
  const p99 = all.p99Ms === null ? '' : ` · p99 ${formatMs(all.p99Ms)}`
  const errors = all.errors === 0 ? '' : ` · ${formatExact(all.errors)} failed`
  return `${target} · ${run === 0 ? 'warm-up' : `run ${run}`} · ${rate} operations/s${p99}${errors}`
}

const barWidth = 28

/** The line of a bar: how far, how long still, and what was measured last. */
export function barLine(event: FinishedCell<BenchCell>): string {
  const { cell, label, size, done, cells, remainingMs } = event
  const filled = Math.round((done / cells) * barWidth)
  const drawing = '█'.repeat(filled) + '░'.repeat(barWidth - filled)
  const percent = `${Math.floor((done / cells) * 100)} %`.padStart(5)
  const left = remainingMs === undefined ? '' : ` · ${formatDuration(remainingMs)} left`
  const run = cell.run === 0 ? 'warm-up' : `run ${cell.run}`
  return `${drawing} ${percent}${left} · ${run} · ${label}${size === undefined ? '' : ` · ${formatSize(size)}`}`
}
