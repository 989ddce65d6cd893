import { secondsOf } from '../../../driven/report/tables.ts'
import { targetText } from '../../../driven/report/words.ts'
import type { Figure } from '../../../report/figure.ts'
import { FileNames } from '../../../report/files/file-names.ts'
import type { Table } from '../../../report/table.ts'
import { formatCount } from '../../../report/words/units.ts'
import type { MonitorSeries, SessionResult } from '../result.ts'

/** A number over time in each job that has it. */
interface Monitored {
  readonly name: string
  readonly jobs: readonly { readonly at: number; readonly values: ReadonlyMap<number, number> }[]
}

/** Numbers of monitors over time, in the seconds of the throughput: all runs one after the other. */
export function monitorTables(result: SessionResult): readonly Table[] {
  const files = new FileNames()
  return monitored(result).map((one) => tableOf(one, result, files))
}

/** The same as figures, to stand below that of the throughput. */
export function monitorFigures(result: SessionResult): readonly Figure[] {
  const all = monitored(result)
  return monitorTables(result).map((table, index): Figure => {
    const { name, jobs } = all[index] as Monitored
    return {
      id: table.name,
      group: 'time',
      title: name,
      note: 'Each point is what the monitor told in one turn.',
      yLabel: name,
      x: {
        title: 'time (seconds)',
        scale: 'linear',
        format: (second) => `${Number(second.toPrecision(6))} s`,
      },
      y: { title: name, scale: 'linear', format: (value) => (value === 0 ? '0' : formatCount(value)) },
      isWide: true,
      series: jobs.map(({ at }, column) => ({
        name: nameOf(result, at),
        table,
        column: column + 1,
        colour: { category: at },
        style: 'line',
      })),
      tables: [table],
    }
  })
}

function tableOf({ name, jobs }: Monitored, result: SessionResult, files: FileNames): Table {
  const seconds = [...new Set(jobs.flatMap(({ values }) => [...values.keys()]))].sort((a, b) => a - b)
  return {
    key: `monitor/${name}`,
    name: files.claim(`monitor-${name.replace(/[^\w]+/g, '-').replace(/-$/, '')}`),
    title: `${name} over time, all runs one after the other`,
    columns: ['second', ...jobs.map(({ at }) => nameOf(result, at).replaceAll(' ', '_'))],
    rows: seconds.map((second) => [second, ...jobs.map(({ values }) => values.get(second) ?? null)]),
  }
}

function monitored(result: SessionResult): readonly Monitored[] {
  const byJob = result.jobs.map((_, at) => valuesOf(result, at))
  const names = new Set(byJob.flatMap((series) => [...series.keys()]))
  return [...names].map((name) => ({
    name,
    jobs: byJob.flatMap((series, at) => {
      const values = series.get(name)
      return values === undefined ? [] : [{ at, values }]
    }),
  }))
}

/** The series of a job by name, each with its values by second, to a tenth. */
function valuesOf({ jobs, targets }: SessionResult, at: number): ReadonlyMap<string, Map<number, number>> {
  const found = new Map<string, Map<number, number>>()
  let before = 0
  for (const [index, { monitors }] of (jobs[at]?.runs ?? []).entries()) {
    for (const series of monitors.flatMap((monitor) => monitor.series)) addTo(found, series, before)
    const run = targets[at]?.runs[index]
    before += run === undefined ? 0 : secondsOf(run)
  }
  return found
}

function addTo(
  found: Map<string, Map<number, number>>,
  { name, points }: MonitorSeries,
  before: number,
): void {
  const values = found.get(name) ?? new Map<number, number>()
  found.set(name, values)
  for (const [atMs, value] of points) values.set(Math.round((before + atMs / 1_000) * 10) / 10, value)
}

function nameOf({ targets, jobs }: SessionResult, at: number): string {
  const target = targets[at]
  return target === undefined ? (jobs[at]?.name ?? '') : targetText(target)
}
