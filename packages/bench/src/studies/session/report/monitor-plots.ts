import { type Row, rowsAt } from '../../../cube/row.ts'
import type { PlotView } from '../../../cube/view.ts'
import { overTime } from '../../../driven/report/views.ts'
import { formatCount } from '../../../report/words.ts'
import type { SessionResult } from '../result.ts'

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
