import { viewed } from '../../../cube/viewed.ts'
import type { StudyReport } from '../../../study/study-report.ts'
import type { DeltasResult } from '../result.ts'
import { findings } from './findings.ts'
import { method } from './method.ts'
import { rows } from './rows.ts'
import { plots, summary } from './views.ts'

/** How the study tells what it found. */
export const report: StudyReport<DeltasResult> = {
  title: 'Whole values or deltas',
  sections: [
    {
      id: 'update',
      title: 'Updates',
      lead: 'Time of an update: the whole new value, or only the change.',
    },
    {
      id: 'read',
      title: 'Reads',
      lead: 'Time of a read by a process that does not know the value: one record, or a base and its deltas.',
    },
  ],
  findings,
  ...viewed({ rows, summary, plots }),
  setup: ({ config }) => [
    ['runs', `${config.runs} of each point after a warm-up; chains of at most ${config.maxDeltas} deltas`],
  ],
  method,
}
