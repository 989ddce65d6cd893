import type { Figure, FigureSeries } from '../../../report/figure.ts'
import type { Table } from '../../../report/table.ts'
import type { DeltasResult } from '../result.ts'
import { editsIn, type Timing, tableKey, tables } from './tables.ts'

const titles: Readonly<Record<Timing, string>> = { update: 'Updates', read: 'Reads' }

/** For each kind of edit, updates and reads with and without deltas. */
export function figures(result: DeltasResult): readonly Figure[] {
  const byKey = new Map(tables(result).map((table) => [table.key, table]))
  return editsIn(result).flatMap((edit) =>
    (['update', 'read'] as const).map((timing) => {
      const table = byKey.get(tableKey(edit, timing)) as Table
      return {
        id: table.name,
        group: timing,
        title: `${titles[timing]}, edit ${edit}`,
        note: 'Solid: with deltas. Dashed: whole values. Means; bars are 95 % confidence intervals.',
        yLabel: `time per ${timing}`,
        series: result.stores.flatMap(({ name }, index) => curves(name, index, table)),
        tables: [table],
      }
    }),
  )
}

function curves(store: string, index: number, table: Table): readonly FigureSeries[] {
  const first = 1 + 4 * index
  const colour = { category: index }
  return [
    { name: `${store}, deltas`, table, column: first + 2, halfWidthColumn: first + 3, colour, style: 'line' },
    { name: `${store}, whole`, table, column: first, halfWidthColumn: first + 1, colour, style: 'dashed' },
  ]
}
