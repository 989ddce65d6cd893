import type { BenchEvent } from '@unikv/bench'
import { formatDuration, formatExact, formatSize } from '@unikv/bench/words'
import { monotonicClock } from '@unikv/core/platform'
import type { Terminal } from '../../terminal.ts'
import { type EventOf, leftoversText, type Progress, rateText, runText, startText } from './words.ts'

/** A load and a removal are told after so long without a line; what a store does at the moment after a longer time. */
const silence = { workMs: 3_000, rateMs: 15_000 } as const

/** A sentence for each tenth of the work, for logs. */
export function sentences(
  { error }: Pick<Terminal, 'error'>,
  clock: () => number = monotonicClock,
): Progress {
  let toldAt = clock()
  const tenths = new Map<string, number>()
  const isNew = (of: string, share: number): boolean => {
    const tenth = Math.floor(share * 10)
    if (tenth === (tenths.get(of) ?? 0)) return false
    tenths.set(of, tenth)
    return true
  }
  const tell = (text: string, afterMs = 0): void => {
    const now = clock()
    if (now - toldAt < afterMs) return
    toldAt = now
    error(`${text}.\n`)
  }
  const show = (event: BenchEvent): void => {
    if (event.type === 'started') tell(startText(event))
    else if (event.type === 'leftovers-removed') tell(leftoversText(event))
    else if (event.type === 'cell') {
      if (isNew('', event.done / event.cells)) tell(doneText(event))
    } else if (event.type === 'loading') {
      const { target, records, of } = event
      if (isNew(target, records / of))
        tell(`Loading ${target}: ${formatExact(records)} of ${formatExact(of)} records`, silence.workMs)
    } else if (event.type === 'removing') tell(`Removing what was written to ${event.target}`, silence.workMs)
    else tell(`${event.target}, ${runText(event.run)}: ${rateText(event.interval, ', ')}`, silence.rateMs)
  }
  return { show, end: () => {} }
}

/** How far a run is, and its last measurement. */
function doneText({ cell, label, size, done, cells, remainingMs }: EventOf<'cell'>): string {
  const left = remainingMs === undefined || done === cells ? '' : `, ${formatDuration(remainingMs)} left`
  const last = `${label}${size === undefined ? '' : `, ${formatSize(size)}`}, ${runText(cell.run)}`
  return `${Math.floor((done / cells) * 100)} % of the measurements are done${left} (last: ${last})`
}
