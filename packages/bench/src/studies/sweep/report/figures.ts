import type { Figure, FigureAxis } from '../../../report/figure.ts'
import type { Table } from '../../../report/table.ts'
import { formatCount } from '../../../report/words/units.ts'
import { axisWords } from '../axis.ts'
import type { SweepResult } from '../result.ts'
import { curvesWith, fittedWith, tables } from './tables.ts'
import { fileText, loadsIn, valueText } from './words.ts'

const rateAxis: FigureAxis = {
  title: 'operations a second',
  scale: 'linear',
  format: (value) => (value === 0 ? '0' : formatCount(value)),
}

/** For each load its throughput, then for each its times. */
export function figures(result: SweepResult): readonly Figure[] {
  const byKey = new Map(tables(result).map((table) => [table.key, table]))
  const table = (key: string): Table => byKey.get(key) as Table
  const loads = loadsIn(result)
  return [
    ...loads.map((load) => throughput(result, load, table(`rate/${load}`), byKey.get(`law/${load}`))),
    ...loads.map((load) => times(result, load, table(`times/${load}`))),
  ]
}

/** A law is drawn as the curve, and runs as points beside it; where no law describes them, the points are the curve. */
function throughput(result: SweepResult, load: string, rates: Table, law: Table | undefined): Figure {
  const curves = curvesWith(result, load)
  const fitted = fittedWith(result, load)
  const measured: Figure['series'] = curves.map((curve, index) => ({
    name: curve.store,
    table: rates,
    column: 1 + index * 2,
    halfWidthColumn: 2 + index * 2,
    colour: { category: index },
    style: fitted.includes(curve) ? 'marks' : 'line',
  }))
  const laws: Figure['series'] =
    law === undefined
      ? []
      : fitted.map((curve, index) => ({
          name: curve.store,
          table: law,
          column: 1 + index,
          colour: { category: curves.indexOf(curve) },
          style: 'line',
        }))
  const note = 'Points are means of runs, bars their 95 % intervals.'
  return {
    id: `throughput-${fileText(load)}`,
    group: 'throughput',
    title: load,
    note: laws.length === 0 ? note : `${note} Curves are the Universal Scalability Law through all runs.`,
    yLabel: 'operations a second',
    x: xAxis(result),
    y: rateAxis,
    isWide: true,
    series: [...laws, ...measured],
    tables: law === undefined ? [rates] : [rates, law],
  }
}

function times(result: SweepResult, load: string, table: Table): Figure {
  return {
    id: `times-${fileText(load)}`,
    group: 'latency',
    title: load,
    note: 'Solid: half of the operations took longer. Dashed: one in a hundred took longer.',
    yLabel: 'service time',
    x: xAxis(result),
    isWide: true,
    series: curvesWith(result, load).flatMap(({ store }, index) => {
      const colour = { category: index }
      return [
        { name: `${store}, p50`, table, column: 2 + index * 3, colour, style: 'line' as const },
        { name: `${store}, p99`, table, column: 3 + index * 3, colour, style: 'dashed' as const },
      ]
    }),
    tables: [table],
  }
}

function xAxis({ config }: SweepResult): FigureAxis {
  const { over } = config
  const isLinear = over.field === 'read-share'
  return {
    title: axisWords[over.field],
    scale: isLinear ? 'linear' : 'log',
    format: (value) => valueText(over, Number(value.toPrecision(6))),
  }
}
