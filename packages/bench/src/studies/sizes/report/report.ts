import { viewed } from '../../../cube/viewed.ts'
import type { StudyReport } from '../../../study/study-report.ts'
import type { SizesResult } from '../result.ts'
import { findings } from './findings.ts'
import { method } from './method.ts'
import { plots } from './plots.ts'
import { rows } from './rows.ts'
import { setup } from './setup.ts'
import { summary } from './summary.ts'

/** How the study tells what it found. */
export const report: StudyReport<SizesResult> = {
  title: 'Latency by object size',
  sections: [
    {
      id: 'sequential',
      title: 'Latency, one call at a time',
      lead: 'Time that a single user of an idle store waits.',
    },
    {
      id: 'parallel',
      title: 'Latency with many calls in flight',
      lead: 'Time of each call while others are running. A store that overlaps calls answers more of them a second; each may take longer.',
    },
    {
      id: 'cache',
      title: 'Reads through a cache',
      lead: 'How long a read takes on average, by the share of reads that the cache answers.',
    },
    {
      id: 'codec',
      title: 'Encryption and compression',
      lead: 'Time that these layers add to a write and a read, before any store is asked.',
    },
  ],
  findings,
  // The figures have their numbers beside them.
  ...viewed({ rows, summary, plots, isSummarised: false }),
  setup,
  method,
}
