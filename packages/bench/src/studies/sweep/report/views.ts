import type { Cell } from '../../../cube/cell.ts'
import { cellText, count, meanTime, percentile, rate } from '../../../cube/columns.ts'
import type { Row } from '../../../cube/row.ts'
import type { Column, Dimension, PlotView, View } from '../../../cube/view.ts'
import type { FigureAxis } from '../../../report/figure.ts'
import { rateAxis } from '../../../report/plot/axes.ts'
import type { ReportTable } from '../../../report/report-table.ts'
import { uslThroughput } from '../../../statistics/usl/usl-law.ts'
import { type Axis, axisWords } from '../axis.ts'
import type { Curve, SweepResult } from '../config.ts'
import { isDescribed } from '../law.ts'
import { lawTable, valueText } from './law-table.ts'

const load: Dimension = { name: 'load' }
const store: Dimension = { name: 'store' }

/** Operations a second; where every operation failed they are missing, not zero. */
const [perSecond, halfWidth] = rate()
const rates: readonly Column[] = [
  {
    ...perSecond,
    of: (cell) => (isMissing(cell) ? null : (perSecond.of?.(cell) ?? null)),
    text: (cell) => (isMissing(cell) ? 'missing' : cellText(perSecond, cell)),
  },
  { ...halfWidth, text: (cell) => (isMissing(cell) ? '–' : cellText(halfWidth, cell)) },
]
const mean = meanTime('service')
const [p50, p95, p99] = ['p50', 'p95', 'p99'].map((name) => percentile('service', name)) as [
  Column,
  Column,
  Column,
]

function isMissing(cell: Cell): boolean {
  return cell.mean('rate').value === 0 && cell.sum('operations', (outcome) => outcome === 'failure') > 0
}

/** A table for each load, then the law of each curve. */
export function summary(result: SweepResult): readonly (View | ReportTable)[] {
  return [pointsView(result), ...lawTable(result)]
}

/** Every point of each load. */
export function pointsView({ config: { over } }: SweepResult, across: Dimension = store): View {
  const failed = count('failed', 'operations', (outcome) => outcome === 'failure')
  return {
    each: [load],
    names: [across, axisOf(over)],
    columns: [...rates, mean, p50, p95, p99, failed],
    title: ({ load: name }) => `${name}: throughput and service times`,
  }
}

/** For each load its throughput, then for each its times. */
export function plots(result: SweepResult, across: Dimension = store): readonly PlotView[] {
  const { over } = result.config
  const own = { each: [load], names: [axisOf(over)], across, x: xAxis(over), isWide: true } as const
  const described = result.curves.filter(isDescribed)
  const isFitted = (place: Readonly<Record<string, string | number>>, name: string | number): boolean =>
    described.some((curve) => curve.load === place['load'] && curve.store === name)
  const note = 'Points are means of runs, bars their 95 % intervals.'
  return [
    {
      ...own,
      id: ({ load: name }) => `rate-${name}`,
      section: 'throughput',
      columns: rates,
      title: ({ load: name }) =>
        `${name} over ${over.field}: operations a second, and half of the 95 % interval`,
      caption: ({ load: name }) => String(name),
      note: ({ load: name }) =>
        described.some((curve) => curve.load === name)
          ? `${note} Curves are the Universal Scalability Law through all runs.`
          : note,
      yLabel: 'operations a second',
      y: rateAxis,
      style: (_, value, place) => (isFitted(place, value) ? 'marks' : 'line'),
      overlays: [lawPlot(own, described, over)],
    },
    {
      ...own,
      id: ({ load: name }) => `times-${name}`,
      section: 'latency',
      columns: [mean, p50, p99],
      title: ({ load: name }) => `${name} over ${over.field}: service times`,
      caption: ({ load: name }) => String(name),
      note: 'Solid: half of the operations took longer. Dashed: one in a hundred took longer.',
      yLabel: 'service time',
      style: ({ head }) => (({ p50: 'line', p99: 'dashed' }) as const)[head],
    },
  ]
}

/** Points of a smooth curve. */
const steps = 80

/** The law through a curve, at even steps of a logarithmic axis. */
function lawPlot(
  own: Pick<PlotView, 'each' | 'names' | 'across' | 'x'>,
  curves: readonly Curve[],
  { field, values }: Axis,
): PlotView {
  const [low, high] = [values[0] as number, values.at(-1) as number]
  const rows = curves.flatMap(({ store: name, load: its, fit }) =>
    Array.from({ length: fit === null ? 0 : steps + 1 }, (_, step): Row => {
      const n = low * (high / low) ** (step / steps)
      const dimensions = { load: its, [field]: n }
      const value = fit === null ? 0 : uslThroughput(fit, n)
      return { store: name, dimensions, run: null, measure: 'law', unit: '1/s', outcome: 'success', value }
    }),
  )
  return {
    ...own,
    rows,
    id: ({ load: name }) => `law-${name}`,
    section: 'throughput',
    columns: [{ head: 'law', key: 'per_s', of: (cell) => cell.figure('law') }],
    title: ({ load: name }) => `${name}: Universal Scalability Law through the runs`,
    note: '',
    yLabel: '',
  }
}

function axisOf(over: Axis): Dimension {
  return { name: over.field, head: axisWords[over.field], text: (value) => valueText(over, Number(value)) }
}

function xAxis(over: Axis): FigureAxis {
  return {
    title: axisWords[over.field],
    scale: over.field === 'read-share' ? 'linear' : 'log',
    format: (value) => valueText(over, Number(value.toPrecision(6))),
  }
}
