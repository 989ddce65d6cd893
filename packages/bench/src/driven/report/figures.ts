import type { Figure, FigureAxis } from '../../report/figure.ts'
import type { Table } from '../../report/table.ts'
import { formatCount } from '../../report/words/units.ts'
import type { DrivenResult } from '../result.ts'
import { isAtRate, operationsIn, percentilesKey, type ScheduledRates, schedulesOf, tables } from './tables.ts'
import { percentileText, targetText } from './words.ts'

const secondsAxis: FigureAxis = {
  title: 'time (seconds)',
  scale: 'linear',
  format: (second) => `${Number(second.toPrecision(6))} s`,
}

const rateAxis: FigureAxis = {
  title: 'operations a second',
  scale: 'linear',
  format: (value) => (value === 0 ? '0' : formatCount(value)),
}

const percentileAxis: FigureAxis = {
  title: 'percentile',
  scale: 'log',
  hidesScale: true,
  format: percentileText,
}

/** Rates and latencies over time, then the percentiles of each operation. */
export function figures(result: DrivenResult): readonly Figure[] {
  const byKey = new Map(tables(result).map((table) => [table.key, table]))
  const table = (key: string): Table => byKey.get(key) as Table
  const schedules = schedulesOf(result.targets)
  return [
    {
      id: 'rate',
      group: 'time',
      title: 'Operations a second',
      note:
        schedules.length > 0
          ? 'Each point is one second. Dashed: the rate that the schedule asked for.'
          : 'Each point is one second.',
      yLabel: 'operations a second',
      x: secondsAxis,
      y: rateAxis,
      isWide: true,
      series: [...overTime(result, table('rate')), ...scheduled(result, schedules, table('rate'))],
      tables: [table('rate')],
    },
    {
      id: 'p99',
      group: 'time',
      title: 'The slowest one per cent',
      note: 'The 99th percentile of each second, all operations together.',
      yLabel: 'p99 of a second',
      x: secondsAxis,
      isWide: true,
      series: overTime(result, table('p99')),
      tables: [table('p99')],
    },
    ...operationsIn(result).map((operation) =>
      percentiles(result, operation, table(percentilesKey(operation))),
    ),
  ]
}

function overTime({ targets }: DrivenResult, table: Table): Figure['series'] {
  return targets.map((target, index) => ({
    name: targetText(target),
    table,
    column: index + 1,
    colour: { category: index },
    style: 'line',
  }))
}

/** The last columns: the rates of the schedules. */
function scheduled(
  { targets }: DrivenResult,
  schedules: readonly ScheduledRates[],
  table: Table,
): Figure['series'] {
  return schedules.map(({ phase }, index) => ({
    name: phase === null ? 'target' : `target ${phase}`,
    table,
    column: targets.length + 1 + index,
    colour: { category: targets.length + index },
    style: 'dashed',
  }))
}

function percentiles({ targets }: DrivenResult, operation: string, table: Table): Figure {
  const isOpen = isAtRate(targets)
  return {
    id: table.name,
    group: 'latency',
    title: operation,
    note: isOpen
      ? 'Solid: response times, from the intended start. Dashed: service times, from the start.'
      : 'Service times of all runs together.',
    yLabel: 'time of an operation',
    x: percentileAxis,
    series: targets.flatMap((target, index) => {
      const store = targetText(target)
      const colour = { category: index }
      const step = isOpen ? 2 : 1
      const service = { name: isOpen ? `${store}, service` : store, table, column: 1 + index * step, colour }
      if (!isOpen) return [{ ...service, style: 'line' as const }]
      const response = { name: store, table, column: 2 + index * step, colour, style: 'line' as const }
      return [response, { ...service, style: 'dashed' as const }]
    }),
    tables: [table],
  }
}
