import { percentile } from '../../cube/columns.ts'
import { type Row, rowsAt } from '../../cube/row.ts'
import { type Column, type Dimension, type PlotView, pivot, type View } from '../../cube/view.ts'
import type { FigureAxis } from '../../report/figure.ts'
import { rateAxis, secondsAxis } from '../../report/plot/axes.ts'
import { formatMs } from '../../report/words.ts'
import type { DrivenResult } from '../result.ts'
import { drivenRows, secondsOf } from '../rows.ts'
import { isAtRate, operation, targetsOf } from './summary.ts'
import { percentileText } from './words.ts'

const percentileAxis: FigureAxis = {
  title: 'percentile',
  scale: 'log',
  hidesScale: true,
  format: percentileText,
}

/** Rates and latencies over time, then the percentiles of each operation. */
export function plots(result: DrivenResult): readonly PlotView[] {
  const targets = targetsOf(result)
  const own = overTime(result)
  return [
    {
      ...own,
      columns: [perSecond('rate', 'per_s')],
      id: () => 'rate-over-time',
      title: () => 'Operations a second over time, all runs one after the other',
      caption: () => 'Operations a second',
      note: `Each point is one second.${isAtRate(result) ? ' Dashed: the rate that the schedule asked for.' : ''}`,
      yLabel: 'operations a second',
      y: rateAxis,
      overlays: [
        {
          ...own,
          across: { name: 'phase', values: [...new Set(result.targets.map(({ phase }) => phase ?? ''))] },
          rows: askedRows(result),
          columns: [perSecond('asked rate', 'asked_per_s')],
          id: () => 'asked-over-time',
          title: () => 'Operations a second that the schedule asked for',
          note: '',
          yLabel: '',
          style: () => 'dashed',
          curve: (phase) => `target ${phase}`.trim(),
          firstColour: result.targets.length,
        },
      ],
    },
    {
      ...own,
      columns: [
        { head: 'p99', key: 'p99_ms', of: (cell) => cell.figure('service', 'p99'), format: formatMs },
      ],
      id: () => 'p99-over-time',
      title: () =>
        'The 99th percentile of the times of all operations over time, all runs one after the other',
      caption: () => 'The slowest one per cent',
      note: 'The 99th percentile of each second, all operations together.',
      yLabel: 'p99 of a second',
    },
    percentilePlot(result, targets),
  ]
}

function perSecond(measure: string, key: string): Column {
  return { head: 'ops/s', key, of: (cell) => cell.figure(measure) }
}

/** All runs, one after the other: each begins where the longest of the runs before has ended. */
export function overTime({
  targets,
}: Pick<DrivenResult, 'targets'>): Pick<PlotView, 'names' | 'at' | 'across' | 'section' | 'x' | 'isWide'> {
  const begins = beginsOf(targets)
  return {
    across: targetsOf({ targets }),
    section: 'time',
    x: secondsAxis,
    isWide: true,
    names: [{ name: 'run', key: 'second' }, { name: 'second' }],
    at: ([cell]) => (begins.get(Number(cell?.place['run'])) ?? 0) + Number(cell?.place['second']),
  }
}

/** The second at which each run begins in tables over time. */
export function beginsOf(targets: DrivenResult['targets']): ReadonlyMap<number, number> {
  const begins = new Map<number, number>()
  const runs = [...new Set(targets.flatMap((target) => target.runs.map(({ run }) => run)))].toSorted(
    (a, b) => a - b,
  )
  let before = 0
  for (const run of runs) {
    begins.set(run, before)
    const own = targets.flatMap((target) => target.runs.filter((one) => one.run === run))
    before += Math.max(0, ...own.map(secondsOf))
  }
  return begins
}

/** The schedule of each phase, by the store with the most seconds: stores share it. */
function askedRows(result: DrivenResult): readonly Row[] {
  const asked = drivenRows(result).filter(
    ({ measure, dimensions }) => measure === 'asked rate' && dimensions['second'] !== undefined,
  )
  return [...new Set(asked.map(({ dimensions }) => dimensions['phase']))].flatMap((phase) => {
    const stores = Object.values(groupOf(asked.filter(({ dimensions }) => dimensions['phase'] === phase)))
    const longest = stores.toSorted((a, b) => b.length - a.length)[0] ?? []
    return longest.map((row) => ({ ...row, dimensions: { ...row.dimensions, phase: phase ?? '' } }))
  })
}

function groupOf(rows: readonly Row[]): Readonly<Record<string, readonly Row[]>> {
  const groups: Record<string, Row[]> = {}
  for (const row of rows) (groups[row.store] ??= []).push(row)
  return groups
}

/** One in so many operations takes longer: p50, p75, p90, p95, p99, p99.5, p99.9, p99.95, p99.99. */
const shares = [2, 4, 10, 20, 100, 200, 1_000, 2_000, 10_000] as const

function percentilePlot(result: DrivenResult, targets: Dimension): PlotView {
  const isOpen = isAtRate(result)
  const kinds = isOpen ? ['response', 'service'] : ['service']
  return {
    rows: percentileRows(result, targets),
    each: [{ name: 'operation' }],
    names: [
      { name: 'one in', key: 'one_in', head: 'percentile', text: (oneIn) => percentileText(Number(oneIn)) },
    ],
    across: targets,
    columns: kinds.map((kind) => ({
      ...percentile(kind, 'time', { head: kind, key: `${kind}_ms` }),
      of: (cell) => cell.figure(kind),
    })),
    id: (place) => `percentiles-${String(place['operation']).replace(/\W+/g, '-')}`,
    section: 'latency',
    title: (place) => `Times of ${place['operation']}: one in so many operations took longer`,
    caption: (place) => String(place['operation']),
    note: isOpen
      ? 'Solid: response times, from the intended start. Dashed: service times, from the start.'
      : 'Service times of all runs together.',
    x: percentileAxis,
    yLabel: 'time of an operation',
    style: ({ head }) => (isOpen && head === 'service' ? 'dashed' : 'line'),
    curve: (name, { head }) => (isOpen && head === 'service' ? `${name}, service` : name),
    beside: { caption: 'times' },
  }
}

/** Percentiles of all runs of a store together, where ten values lie beyond. */
function percentileRows(result: DrivenResult, targets: Dimension): readonly Row[] {
  const view: View = { names: [targets, operation], of: 'service', columns: [], title: () => '' }
  return pivot(view, drivenRows(result)).flatMap(({ lines }) =>
    lines.flatMap(({ at: [target, its], cells: [cell] }) => {
      const [store = '', phase] = String(target).split('\t')
      return ['service', 'response'].flatMap((measure) => {
        const times = cell?.distribution(measure) ?? null
        return shares.flatMap((oneIn) => {
          if (times === null || times.count < 10 * oneIn) return []
          const dimensions = {
            ...(phase !== undefined && { phase }),
            operation: operation.text?.(its ?? '') ?? '',
            'one in': oneIn,
          }
          return rowsAt({ store, dimensions }, [
            { measure, unit: 'ms', value: times.percentile(100 - 100 / oneIn) / 1e6 },
          ])
        })
      })
    }),
  )
}
