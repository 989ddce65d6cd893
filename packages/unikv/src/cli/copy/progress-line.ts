import { formatCount, formatDuration, formatExact } from '@unikv/bench/words'
import { monotonicClock } from '@unikv/core/platform'
import type { Progress } from '@unikv/snapshot'
import type { Terminal } from '../terminal.ts'

/** A line that shows how far a copy is. */
export interface ProgressLine {
  readonly show: (progress: Progress) => void
  /** Leave the line free for what comes next. */
  readonly end: () => void
}

const redrawEveryMs = 100
/** Characters of the bar, where there is room. */
const bar = { least: 4, most: 24 } as const
const verbs = {
  count: 'counting',
  check: 'checking',
  copy: 'copying',
  verify: 'comparing',
  extras: 'looking for others:',
} as const

/** Redrawn in place on a terminal; nothing elsewhere. */
export function progressLine({ error, columns }: Pick<Terminal, 'error' | 'columns'>): ProgressLine {
  if (columns === undefined) return { show: () => {}, end: () => {} }
  let shownAt = Number.NEGATIVE_INFINITY
  let isDrawn = false
  let start: Start | undefined
  return {
    show: (progress) => {
      const now = monotonicClock()
      if (start?.phase !== progress.phase)
        start = { phase: progress.phase, at: now, records: progress.records }
      else if (now - shownAt < redrawEveryMs) return
      shownAt = now
      isDrawn = true
      error(`\r${lineOf(progress, start, now, columns - 1).slice(0, columns - 1)}\u001b[K`)
    },
    end: () => {
      if (isDrawn) error('\r\u001b[K')
      isDrawn = false
    },
  }
}

/** Where a phase began: a copy that goes on has records before it. */
interface Start {
  readonly phase: Progress['phase']
  readonly at: number
  readonly records: number
}

function lineOf({ phase, records, total }: Progress, start: Start, now: number, columns: number): string {
  const perMs = (records - start.records) / Math.max(1, now - start.at)
  const rate = perMs === 0 ? '' : ` · ${formatCount(perMs * 1_000)}/s`
  if (total === undefined || total === 0) return `${verbs[phase]} · ${formatExact(records)} records${rate}`
  const share = Math.min(1, records / total)
  const left = perMs === 0 ? '' : ` · ${formatDuration(Math.max(0, total - records) / perMs)} left`
  const percent = `${Math.floor(share * 100)} %`.padStart(5)
  const text = ` ${percent} · ${verbs[phase]} ${formatExact(records)} of ${formatExact(total)}${rate}${left}`
  const width = Math.max(bar.least, Math.min(bar.most, columns - text.length))
  const filled = Math.round(share * width)
  return '█'.repeat(filled) + '░'.repeat(width - filled) + text
}
