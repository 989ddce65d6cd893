import type { Figure, FigureAxis } from '../../../report/figure.ts'
import type { Table } from '../../../report/table.ts'
import { formatCount } from '../../../report/words/units.ts'
import { sweep } from '../../sweep/sweep.ts'
import type { EvaluationResult, LevelComparison } from '../result.ts'
import { candidateCurves, sweptIn } from './swept.ts'
import { type OperationOfLoad, operationsIn, tables, timesKey } from './tables.ts'

const callers: FigureAxis = {
  title: 'callers',
  scale: 'log',
  format: (value) => Number(value.toPrecision(6)).toLocaleString('en-US'),
}

/** Throughput of each load, times of each operation, and levels of consistency. */
export function figures(result: EvaluationResult): readonly Figure[] {
  const byKey = new Map(tables(result).map((table) => [table.key, table]))
  const tableOf = (key: string): Table => byKey.get(key) as Table
  const throughput = sweep.report.figures(sweptIn(result)).filter(({ group }) => group === 'throughput')
  return [
    ...throughput.map((figure) => ({
      ...figure,
      series: figure.series.map((one) => ({ ...one, table: tableOf(one.table.key) })),
      tables: figure.tables.map(({ key }) => tableOf(key)),
    })),
    ...operationsIn(result).map((one) => times(result, one, tableOf(timesKey(one)))),
    ...result.comparisons.map((one) => levels(one, tableOf(`levels/${one.candidate}`))),
  ]
}

function times(result: EvaluationResult, { load, operation }: OperationOfLoad, table: Table): Figure {
  const curves = candidateCurves(result).filter((curve) => curve.load === load)
  return {
    id: table.name,
    group: 'latency',
    title: `${operation}, ${load}`,
    note: 'Solid: the mean. Dashed: one in twenty took longer.',
    yLabel: 'service time',
    x: callers,
    isWide: true,
    series: curves.flatMap(({ store }, index) => {
      const colour = { category: index }
      return [
        { name: `${store}, mean`, table, column: 1 + index * 2, colour, style: 'line' as const },
        { name: `${store}, p95`, table, column: 2 + index * 2, colour, style: 'dashed' as const },
      ]
    }),
    tables: [table],
  }
}

function levels({ candidate, load }: LevelComparison, table: Table): Figure {
  return {
    id: table.name,
    group: 'consistency',
    title: `${candidate}, ${load}`,
    note: 'The same store and load, with a strong and with an eventual level.',
    yLabel: 'operations a second',
    x: callers,
    y: {
      title: 'operations a second',
      scale: 'linear',
      format: (value) => (value === 0 ? '0' : formatCount(value)),
    },
    isWide: true,
    series: [
      { name: 'strong', table, column: 1, colour: { category: 0 }, style: 'line' },
      { name: 'eventual', table, column: 2, colour: { category: 1 }, style: 'dashed' },
    ],
    tables: [table],
  }
}
