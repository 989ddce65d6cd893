import { type Row, rowsAt } from '../../../cube/row.ts'
import type { PlotView } from '../../../cube/view.ts'
import { overTime } from '../../../driven/report/plots.ts'
import type { ReportTable } from '../../../report/report-table.ts'
import { formatCount } from '../../../report/words.ts'
import type { JobResult, MonitorSeries, SessionResult } from '../result.ts'

/** The numbers that monitors told, each at its time in a run, in seconds. */
export function monitorRows({ jobs, targets }: SessionResult): readonly Row[] {
  return jobs.flatMap(({ runs }, at) => {
    const { store, phase } = targets[at] ?? { store: '', phase: null }
    return runs.flatMap(({ run, monitors }) =>
      monitors
        .flatMap((monitor) => monitor.series)
        .flatMap(({ name: monitor, points }) =>
          points.flatMap(([atMs, value]) => {
            const second = Math.round(atMs / 100) / 10
            const dimensions = { ...(phase !== null && { phase }), monitor, second }
            return rowsAt({ store, dimensions }, [{ run, measure: 'told', unit: 'count', value }])
          }),
        ),
    )
  })
}

/** Numbers of monitors over time, below the throughput. */
export function monitorPlot(result: SessionResult): PlotView {
  return {
    ...overTime(result),
    each: [{ name: 'monitor' }],
    columns: [{ head: 'told', of: (cell) => cell.figure('told') }],
    id: ({ monitor }) => `monitor-${String(monitor).replace(/\W+/g, '-')}`,
    title: ({ monitor }) => `${monitor} over time, all runs one after the other`,
    caption: ({ monitor }) => String(monitor),
    note: 'Each point is what the monitor told in one turn.',
    yLabel: ({ monitor }) => String(monitor),
    y: { title: '', scale: 'linear', format: (value) => (value === 0 ? '0' : formatCount(value)) },
  }
}

/** Numbers of monitors, each of all runs together. */
export function monitorTable(jobs: readonly JobResult[]): readonly ReportTable[] {
  const rows = jobs.flatMap((job) => rowsOf(job))
  if (rows.length === 0) return []
  return [{ title: 'Monitors', head: ['job', 'number', 'values', 'least', 'mean', 'most'], names: 2, rows }]
}

/** A sentence for each monitor and run that had a failure. */
export function failedMonitors({ jobs }: SessionResult): readonly string[] {
  return jobs.flatMap((job) =>
    job.runs.flatMap(({ run, monitors }) =>
      monitors.flatMap(({ name, problem, failures, readings }) =>
        problem === null
          ? []
          : [
              `${job.name}: in run ${run} the monitor "${name}" failed ${failures} of ${failures + readings} times. First it ${problem}.`,
            ],
      ),
    ),
  )
}

function rowsOf({ name, runs }: JobResult): readonly string[][] {
  const all = runs.flatMap(({ monitors }) => monitors.flatMap(({ series }) => series))
  return [...new Set(all.map((series) => series.name))].map((number) => [
    name,
    number,
    ...figuresOf(all.filter((series) => series.name === number)),
  ])
}

function figuresOf(series: readonly MonitorSeries[]): readonly string[] {
  let [count, sum, least, most] = [0, 0, Infinity, -Infinity]
  for (const [, value] of series.flatMap(({ points }) => points)) {
    count++
    sum += value
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  return [String(count), ...[least, sum / count, most].map((value) => formatCount(value))]
}
