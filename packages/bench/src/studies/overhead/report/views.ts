import { Cell } from '../../../cube/cell.ts'
import { percentile } from '../../../cube/columns.ts'
import type { Column, Dimension, PlotView, View } from '../../../cube/view.ts'
import type { FigureAxis } from '../../../report/figure.ts'
import type { ReportTable } from '../../../report/report-table.ts'
import { formatCount, formatExact } from '../../../report/words.ts'
import type { OverheadResult } from '../config.ts'
import { operations } from '../plan.ts'
import { furtherTables } from './further-tables.ts'
import { type Added, addedIn, intervalText, isOfPairs, percentText, us } from './words.ts'

const store: Dimension = { name: 'store' }
const records: Dimension = { name: 'records', text: (value) => formatExact(Number(value)) }
const operation: Dimension = { name: 'operation', values: [...operations, 'search'] }
const side: Dimension = { name: 'side' }

/** Times of all sides, and what they add, in the layout of tables 4 to 8 of the study. */
export function summary(result: OverheadResult): readonly (View | ReportTable)[] {
  const names = [store, records, operation]
  const times: View = isOfPairs(new Cell(result.rows, {}))
    ? {
        names,
        columns: [takes('native', 'native'), takes('unikv', 'unikv'), ...added('unikv')],
        title: () => 'Medians, and what unikv adds',
      }
    : {
        names: [...names, side],
        columns: [takes('takes'), ...added()],
        title: () => 'Medians, and what each side adds to the native client',
      }
  return [times, ...furtherTables(result)]
}

function takes(head: string, its?: string): Column {
  return { ...percentile('service', 'p50', { head, ...(its && { at: { side: its } }) }), format: us }
}

/** The cost that a side adds to the native client. */
function added(its?: string): readonly [Column, ...Column[]] {
  const of = (cell: Cell): Added | null => addedIn(its === undefined ? cell : cell.at({ side: its }))
  const shown =
    (text: (found: Added) => string): Column['text'] =>
    (cell) => {
      const found = of(cell)
      return found === null ? '' : text(found)
    }
  return [
    {
      head: 'adds',
      key: 'adds_ms',
      of: (cell) => of(cell)?.median ?? null,
      text: shown(({ median }) => us(median)),
    },
    { head: '95 %', text: shown(intervalText) },
    { head: 'adds %', text: shown(({ percent }) => percentText(percent)) },
  ]
}

const volumeAxis: FigureAxis = {
  title: 'records in the store',
  scale: 'log',
  format: (value) => formatCount(value),
}

/** The sides of each operation over the number of records. */
export function plots({ config }: OverheadResult): readonly PlotView[] {
  const bounds = ['median', 'low', 'high'].map(
    (one): Column => ({
      head: one,
      key: `adds_${one}_ms`,
      of: (cell) => cell.figure('added', one),
    }),
  )
  return [
    {
      each: [store, operation],
      names: [records],
      across: side,
      columns: [percentile('service', 'p50'), ...bounds],
      id: (place) => `overhead-${place['store']}-${place['operation']}`,
      section: 'times',
      title: (place) =>
        `${place['store']}, ${place['operation']}: medians of all sides, and what they add, by records`,
      caption: (place) => `${place['store']}: ${place['operation']}`,
      note: 'Medians of the runs.',
      x: volumeAxis,
      yLabel: 'time of a call',
      beside: {
        caption: 'medians, and what is added',
        columns: [takes('takes'), added()[0]],
      },
      style: ({ head }) => (head === 'p50' && config.volumes.length > 1 ? 'line' : undefined),
    },
  ]
}
