import type { Cell } from '../../cube/cell.ts'
import { type Row, rowsAt } from '../../cube/row.ts'
import type { Dimension, View } from '../../cube/view.ts'
import { formatDuration, formatExact } from '../../report/words.ts'
import type { SetupLine, StudyReport } from '../../study/study-report.ts'
import { viewed } from '../../study/viewed.ts'
import type { LoadResult, TableResult } from './config.ts'

/** The report of the study. */
export const report: StudyReport<LoadResult> = {
  title: 'Tables',
  sections: [],
  findings: ({ tables }) => tables.map(sentence),
  ...viewed({ rows, summary, plots: () => [] }),
  setup,
  method: () => '<p>Records were written in batches of up to 100, by eight callers in each thread.</p>',
}

const table: Dimension = { name: 'table' }

function summary(): readonly View[] {
  const elapsed = (cell: Cell): number => cell.figure('elapsed') ?? 0
  const records = (cell: Cell): number => cell.figure('records') ?? 0
  return [
    {
      names: [{ name: 'store' }, table],
      columns: [
        { head: 'records', of: records, format: formatExact },
        { head: 'time', of: elapsed, format: timeText },
        {
          head: 'records/s',
          of: (cell) =>
            elapsed(cell) === 0 || records(cell) === 0 ? null : (records(cell) / elapsed(cell)) * 1_000,
        },
      ],
      title: () => 'Tables',
    },
  ]
}

function timeText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : formatDuration(ms)
}

function setup({ config }: LoadResult): readonly SetupLine[] {
  const { workload, threads } = config
  const { prefix, order } = workload.keyNames
  return [
    ['workload', workload.name],
    ['keys', `${prefix} and the number, ${order}`],
    ['threads', String(threads)],
  ]
}

function sentence({ store, table, records, before }: TableResult): string {
  const held = before === null ? 'was not there' : `held ${before.toLocaleString('en-US')} records`
  if (records === 0 && before === null) return `${store}: there was no table ${table} to delete.`
  if (records === 0) return `${store}: the table ${table} ${held}, and is deleted.`
  const now = `${store}: the table ${table} holds ${records.toLocaleString('en-US')} records.`
  return before === null ? now : `${now} Those of an earlier load were replaced.`
}

/** The records of each table, and how long they took. */
function rows({ tables }: LoadResult): readonly Row[] {
  return tables.flatMap(({ store, table, records, elapsedMs }) =>
    rowsAt({ store, dimensions: { table } }, [
      { measure: 'records', unit: 'count', value: records },
      { measure: 'elapsed', unit: 'ms', value: elapsedMs },
    ]),
  )
}
