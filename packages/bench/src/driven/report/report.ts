import type { StudyReport } from '../../study/study-report.ts'
import { viewed } from '../../study/viewed.ts'
import type { DrivenResult } from '../result.ts'
import { drivenRows } from '../rows.ts'
import { findings } from './findings.ts'
import { hlogFiles } from './hlog-files.ts'
import { plots, summary } from './views.ts'
import { ycsbFormat } from './ycsb-format.ts'

/** The report of a study that drives stores, but for its title, its setup and its method. */
export const drivenReport: Omit<StudyReport<DrivenResult>, 'title' | 'setup' | 'method'> = {
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
  ...viewed({ rows: drivenRows, summary, plots }),
  files: hlogFiles,
}
