import type { Figure, FigureAxis } from '../../../report/figure.ts'
import type { Table } from '../../../report/table.ts'
import { formatCount, formatMs } from '../../../report/words/units.ts'
import type { ConsistencyResult } from '../result.ts'
import { groupsOf, pairsIn, rateColumn, type StaleCurve, staleCurves, tables } from './tables.ts'
import { conditionText, fileText, percentText } from './words.ts'

const callersAxis: FigureAxis = { title: 'callers', scale: 'log', format: (value) => formatCount(value) }
const rateAxis: FigureAxis = {
  title: 'operations a second',
  scale: 'linear',
  format: (value) => (value === 0 ? '0' : formatCount(value)),
}
const sinceAxis: FigureAxis = {
  title: 'time since the write',
  scale: 'log',
  format: formatMs,
}
const staleAxis: FigureAxis = {
  title: 'stale reads',
  scale: 'linear',
  format: (value) => (value > 1 ? '' : percentText(value)),
}

/** For each store and condition the throughput, the times, and the stale reads. */
export function figures(result: ConsistencyResult): readonly Figure[] {
  const byKey = new Map(tables(result).map((table) => [table.key, table]))
  const table = (key: string): Table => byKey.get(key) as Table
  const rates = groupsOf(result.rates).map((group) => ({
    ...group,
    title: group.store + conditionText(group.condition),
    id: `${fileText(group.store)}${group.condition === 'calm' ? '' : '-disturbed'}`,
    table: table(`rates/${group.store}/${group.condition}`),
  }))
  const stale = groupsOf(result.stale).map((group) => ({
    ...group,
    title: group.store + conditionText(group.condition),
    id: `${fileText(group.store)}${group.condition === 'calm' ? '' : '-disturbed'}`,
    table: table(`stale/${group.store}/${group.condition}`),
  }))
  return [
    ...rates.map(({ own, ...at }) => throughput(pairsIn(own), at)),
    ...rates.flatMap(({ own, ...at }) =>
      (['read', 'write'] as const).map((operation) => times(operation, pairsIn(own), at)),
    ),
    ...stale.map(({ own, ...at }) => staleReads(staleCurves(own), at)),
  ]
}

interface Drawn {
  readonly id: string
  readonly title: string
  readonly table: Table
}

function throughput(pairs: readonly string[], { id, title, table }: Drawn): Figure {
  return {
    id: `throughput-${id}`,
    group: 'throughput',
    title,
    note: 'Points are means of runs, bars their 95 % intervals.',
    yLabel: 'operations a second',
    x: callersAxis,
    y: rateAxis,
    isWide: true,
    series: pairs.map((name, index) => ({
      name,
      table,
      column: rateColumn(index, 'per_s'),
      halfWidthColumn: rateColumn(index, 'half_width_per_s'),
      colour: { category: index },
      style: 'line',
    })),
    tables: [table],
  }
}

function times(operation: 'read' | 'write', pairs: readonly string[], { id, title, table }: Drawn): Figure {
  return {
    id: `${operation}-${id}`,
    group: 'latency',
    title: `${title}: ${operation}s`,
    note: 'Solid: the mean. Dashed: five in a hundred took longer.',
    yLabel: `time of a ${operation}`,
    x: callersAxis,
    isWide: true,
    series: pairs.flatMap((pair, index) => {
      const colour = { category: index }
      const mean = rateColumn(index, `${operation}_mean_ms`)
      const p95 = rateColumn(index, `${operation}_p95_ms`)
      return [
        { name: `${pair}, mean`, table, column: mean, colour, style: 'line' as const },
        { name: `${pair}, p95`, table, column: p95, colour, style: 'dashed' as const },
      ]
    }),
    tables: [table],
  }
}

function staleReads(curves: readonly StaleCurve[], { id, title, table }: Drawn): Figure {
  return {
    id: `stale-${id}`,
    group: 'stale',
    title,
    note: 'The share of reads that gave an older value, by when they began. The table has the intervals, and the bounds where no read was stale.',
    yLabel: 'stale reads',
    x: sinceAxis,
    y: staleAxis,
    isWide: true,
    series: curves.map(({ name, column }, index) => ({
      name,
      table,
      column,
      colour: { category: index },
      style: 'line',
    })),
    tables: [table],
  }
}
