import { formatCount, formatMs } from '@unikv/bench/words'
import { addFrames, type Frame, type Summarised, summarised } from '@unikv/monitor'
import type { LiveProcess, ServerFeatures } from '@unikv/monitor/recorder'
import type { Section } from '../columns.ts'
import { printable } from '../printable.ts'
import { hitsText } from './history-view.ts'
import { formatSize, serverWords } from './server-words.ts'

const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** Numbers from 0 as a line of bars, the highest one full. */
export function sparkline(values: readonly number[]): string {
  const highest = Math.max(...values)
  return values
    .map((value) => bars[highest === 0 ? 0 : Math.round((value / highest) * (bars.length - 1))])
    .join('')
}

/** How many looks the trend shows. */
const looks = 16

/** One operation of one store over all processes. */
interface Row extends Summarised {
  readonly store: string
  readonly operation: string
  readonly callsPerSecond: number
}

/** Selects what is shown. */
interface Selection {
  readonly store?: string
  readonly operation?: string
}

/** The last seconds of all processes as a table, with the trend since the first look. */
export class LiveView {
  readonly #selection: Selection
  readonly #trends = new Map<string, number[]>()

  constructor(selection: Selection) {
    this.#selection = selection
  }

  /** The figures of one look as data. */
  data(processes: readonly LiveProcess[], now: number): object {
    return {
      at: now,
      processes: processes.map(({ name, at }) => ({ name, at })),
      operations: this.#rows(processes),
      servers: serversOf(processes),
    }
  }

  sections(processes: readonly LiveProcess[], now: number): Section[] {
    if (processes.length === 0)
      return ['No process keeps figures here now. Those of the past: unikv monitor --history minute.']
    const rows = this.#rows(processes)
    const newestAt = Math.max(...processes.map(({ at }) => at))
    const age = `${Math.max(0, Math.round((now - newestAt) / 1000))} s ago`
    const names = processes.map(({ name }) => printable(name, 80, 'key')).toSorted()
    return [
      `${names.length} process${names.length === 1 ? '' : 'es'} (${names.join(', ')}), last figures ${age}`,
      rows.length === 0
        ? 'No calls in the last seconds.'
        : {
            head: ['store', 'operation', 'calls/s', 'p50', 'p99', 'errors', 'hits', 'trend'],
            rows: rows.map((row) => this.#cells(row)),
            numbers: [2, 3, 4, 5, 6],
            wrong: rows.flatMap(({ failed }, i) => (failed > 0 ? [i] : [])),
          },
      ...serverSections(processes, this.#selection.store),
    ]
  }

  #cells(row: Row): readonly string[] {
    const { store, operation, callsPerSecond, latency, failed, items } = row
    return [
      printable(store, 80, 'key'),
      operation,
      formatCount(callsPerSecond),
      formatMs(latency.timed === 0 ? Number.NaN : latency.p50Ms),
      formatMs(latency.timed === 0 ? Number.NaN : latency.p99Ms),
      failed === 0 ? '0' : `${((100 * failed) / items).toPrecision(2)} %`,
      hitsText(row),
      sparkline(this.#trend(`${store} ${operation}`, callsPerSecond)),
    ]
  }

  #trend(name: string, value: number): readonly number[] {
    const trend = [...(this.#trends.get(name) ?? []), value].slice(-looks)
    this.#trends.set(name, trend)
    return trend
  }

  #rows(processes: readonly LiveProcess[]): Row[] {
    const rates = new Map<string, number>()
    for (const { frame, lengthMs } of processes)
      for (const { store, operation, calls } of rowsOf(frame))
        if (lengthMs > 0)
          rates.set(
            `${store} ${operation}`,
            (rates.get(`${store} ${operation}`) ?? 0) + (calls * 1000) / lengthMs,
          )
    const { store: only, operation: its } = this.#selection
    return rowsOf(addFrames(processes.map(({ frame }) => frame)))
      .filter(({ store, operation }) => (only ?? store) === store && (its ?? operation) === operation)
      .map((row) => ({ ...row, callsPerSecond: rates.get(`${row.store} ${row.operation}`) ?? 0 }))
      .toSorted((a, b) => a.store.localeCompare(b.store) || a.operation.localeCompare(b.operation))
  }
}

/** The servers of all processes: of each the figures that are newest. */
function serversOf(processes: readonly LiveProcess[]): Readonly<Record<string, ServerFeatures>> {
  const newest = new Map<string, ServerFeatures>()
  for (const { servers } of processes)
    for (const [store, features] of Object.entries(servers))
      if ((newest.get(store)?.at ?? 0) <= features.at) newest.set(store, features)
  return Object.fromEntries(newest)
}

function serverSections(processes: readonly LiveProcess[], only: string | undefined): Section[] {
  const rows = Object.entries(serversOf(processes))
    .filter(([store]) => (only ?? store) === store)
    .map(([store, { statistics, growthBytesPerHour: growth = 0, error }]) => {
      const grows =
        Math.abs(growth) < 1000 ? '' : `, ${growth > 0 ? '+' : ''}${formatSize(Math.round(growth))} an hour`
      return [store, `${serverWords(statistics)}${grows}${error === undefined ? '' : ` (${error})`}`]
    })
  return rows.length === 0 ? [] : [{ head: ['store', 'server'], rows }]
}

function rowsOf(frame: Frame): Omit<Row, 'callsPerSecond'>[] {
  return Object.entries(frame).flatMap(([store, operations]) =>
    Object.entries(operations).map(([operation, figures]) => ({ store, operation, ...summarised(figures) })),
  )
}
