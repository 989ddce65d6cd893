import type { StudyReport } from '@unikv/workload/report'
import type { RunResult } from '../result.ts'
import { figureTables } from './figure-tables.ts'
import { figures } from './figures.ts'
import { findings } from './findings.ts'
import { hlogFiles } from './hlog-files.ts'
import { method } from './method.ts'
import { summaryTables } from './summary-tables.ts'
import { tables } from './tables.ts'
import { runsText, workloadLines } from './workload-lines.ts'
import { ycsbFormat } from './ycsb.ts'

/** How the study tells what it found. */
export const report: StudyReport<RunResult> = {
  title: 'Workload',
  sections: [
    { id: 'time', title: 'Over time', lead: 'All measured runs, one after the other.' },
    {
      id: 'latency',
      title: 'Latency',
      lead: 'How long the slowest share of operations took, for each kind of operation.',
    },
  ],
  findings,
  formats: ['ycsb'],
  formatted: (_format, result) => ycsbFormat(result),
  pageTables: summaryTables,
  summary: summaryTables,
  tables,
  files: hlogFiles,
  figures,
  besides: figureTables,
  setup: (result) => [...workloadLines(result), ['runs', runsText(result)]],
  method,
}
