import type { ReportTable } from '../../../report/report-table.ts'
import type { Table } from '../../../report/table.ts'
import { formatCount, formatDuration } from '../../../report/words/units.ts'
import type { SetupLine, StudyReport } from '../../../study/study-report.ts'
import type { LoadResult, TableResult } from '../result.ts'
import { rows } from './rows.ts'

/** The report of the study. */
export const report: StudyReport<LoadResult> = {
  title: 'Tables',
  sections: [],
  findings: ({ tables }) => tables.map(sentence),
  pageTables: summary,
  summary,
  tables: columns,
  rows,
  figures: () => [],
  besides: () => ({ beside: '', below: '' }),
  setup,
  method: () => '<p>Records were written in batches of up to 100, by eight callers in each thread.</p>',
}

function summary({ tables }: LoadResult): readonly ReportTable[] {
  return [
    {
      title: 'Tables',
      head: ['store', 'table', 'records', 'time', 'records/s'],
      names: 2,
      rows: tables.map(({ store, table, records, elapsedMs }) => [
        store,
        table,
        records.toLocaleString('en-US'),
        elapsedMs < 1_000 ? `${Math.round(elapsedMs)} ms` : formatDuration(elapsedMs),
        elapsedMs === 0 || records === 0 ? '–' : formatCount((records / elapsedMs) * 1_000),
      ]),
    },
  ]
}

function columns({ tables }: LoadResult): readonly Table[] {
  return [
    {
      key: 'load',
      name: 'load',
      title: 'Records of the tables and milliseconds of their loads, one store a row',
      columns: ['row', 'records', 'elapsed_ms'],
      rows: tables.map(({ records, elapsedMs }, index) => [index, records, elapsedMs]),
    },
  ]
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
