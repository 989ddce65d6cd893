import { formatMs } from '@unikv/bench/words'
import type { Summarised } from '@unikv/monitor'
import type { HistoryPoint } from '@unikv/monitor/recorder'
import type { Section } from '../columns.ts'
import { printable } from '../printable.ts'

/** The past as a table, the earliest period first. */
export function historySections(points: readonly HistoryPoint[]): Section[] {
  if (points.length === 0) return ['No figures of this time are kept here.']
  const rows = points.map((point) => [
    timeText(point.at),
    printable(point.store, 80, 'key'),
    point.operation,
    point.calls.toLocaleString('en-US'),
    formatMs(point.latency.timed === 0 ? Number.NaN : point.latency.p50Ms),
    formatMs(point.latency.timed === 0 ? Number.NaN : point.latency.p99Ms),
    point.failed.toLocaleString('en-US'),
    hitsText(point),
  ])
  const head = ['time (UTC)', 'store', 'operation', 'calls', 'p50', 'p99', 'failed', 'hits']
  return [{ head, rows, numbers: [3, 4, 5, 6, 7] }]
}

/** The past as data, with the time as text too. */
export function historyRows(points: readonly HistoryPoint[]): readonly object[] {
  return points.map((point) => ({ time: new Date(point.at).toISOString(), ...point }))
}

function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

/** The share of reads that caches answered, for a table; a dash where no cache stands. */
export function hitsText({ hits, hitRate }: Pick<Summarised, 'hits' | 'hitRate'>): string {
  return Object.keys(hits).length === 0 ? '–' : `${(100 * hitRate).toFixed(1)} %`
}
