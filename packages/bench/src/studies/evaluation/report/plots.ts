import { meanTime, percentile } from '../../../cube/columns.ts'
import { type Row, rowsAt } from '../../../cube/row.ts'
import type { Dimension, PlotView } from '../../../cube/view.ts'
import type { FigureAxis } from '../../../report/figure.ts'
import { rateAxis } from '../../../report/plot/axes.ts'
import type { Curve, SweepResult } from '../../sweep/config.ts'
import * as sweep from '../../sweep/report/views.ts'
import { eventualName } from '../config.ts'
import type { EvaluationResult } from '../result.ts'

const callers: Dimension = { name: 'concurrency', head: 'callers' }
const callersAxis: FigureAxis = {
  title: 'callers',
  scale: 'log',
  format: (value) => Number(value.toPrecision(6)).toLocaleString('en-US'),
}

/** Throughput of each load, times of each operation, and levels of consistency. */
export function plots(result: EvaluationResult): readonly PlotView[] {
  const swept = sweptIn(result)
  const candidates = [...new Set(candidateCurves(result).map(({ store }) => store))]
  const store: Dimension = { name: 'store', values: candidates }
  const points = sweep.pointsView(swept, store)
  return [
    ...sweep
      .plots(swept, store)
      .filter(({ section }) => section === 'throughput')
      .map((view) => ({ ...view, beside: [points], foldsBeside: 'All figures' })),
    {
      each: [{ name: 'load' }, { name: 'operation' }],
      names: [callers],
      across: store,
      columns: [meanTime('service'), percentile('service', 'p95')],
      id: ({ load, operation }) => `times-${load}-${operation}`,
      section: 'latency',
      title: ({ load, operation }) => `${operation} in ${load}: service times over callers`,
      caption: ({ load, operation }) => `${operation}, ${load}`,
      note: 'Solid: the mean. Dashed: one in twenty took longer.',
      x: callersAxis,
      yLabel: 'service time',
      isWide: true,
      style: ({ head }) => (head === 'mean' ? 'line' : 'dashed'),
    },
    levelPlot(result),
  ]
}

/** The same store and load, with a strong and with an eventual level. */
function levelPlot({ comparisons }: EvaluationResult): PlotView {
  const rows = comparisons.flatMap(({ candidate, load, points }) =>
    points.flatMap(({ callers: concurrency, strong, eventual }) =>
      Object.entries({ strong, eventual }).flatMap(([level, value]): readonly Row[] =>
        rowsAt({ store: candidate, dimensions: { load, concurrency, level } }, [
          { measure: 'rate', unit: '1/s', value },
        ]),
      ),
    ),
  )
  return {
    rows,
    each: [{ name: 'store' }, { name: 'load' }],
    names: [callers],
    across: { name: 'level', values: ['strong', 'eventual'] },
    columns: [{ head: 'ops/s', key: 'per_s', of: (cell) => cell.figure('rate') }],
    id: ({ store }) => `levels-${store}`,
    section: 'consistency',
    title: ({ store, load }) => `${store}, ${load}: operations a second by level of consistency`,
    caption: ({ store, load }) => `${store}, ${load}`,
    note: 'The same store and load, with a strong and with an eventual level.',
    x: callersAxis,
    yLabel: 'operations a second',
    y: rateAxis,
    isWide: true,
    style: (_, level) => (level === 'strong' ? 'line' : 'dashed'),
  }
}

/** The result of the sweep inside, without eventual consistency. */
export function sweptIn(result: EvaluationResult): SweepResult {
  return { ...result, config: result.config.sweep, curves: candidateCurves(result) }
}

/** The curves of the candidates themselves. */
function candidateCurves({ config, curves }: Pick<EvaluationResult, 'config' | 'curves'>): readonly Curve[] {
  const eventual = new Set(config.candidates.map(eventualName))
  return curves.filter(({ store }) => !eventual.has(store))
}
