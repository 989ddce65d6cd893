import type { StudyReport } from '../../../study/study-report.ts'
import { viewed } from '../../../study/viewed.ts'
import type { DeltasResult } from '../result.ts'
import { findings } from './findings.ts'
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

/** How it was measured, as HTML. */
function method({ config }: DeltasResult): string {
  const { runs, updates, maxDeltas } = config
  return `<p>Each key is updated ${updates} times in a run, once by a program that writes whole values and once by the delta layer with chains of at most ${maxDeltas}. Both go on with the same values. Every point was measured ${runs} ${runs === 1 ? 'time' : 'times'}, after one run that is not counted; runs go through all stores, sizes and edits in turn. After each update the value is read by a process that does not know it, and by one that knew it before.</p>
<p>The value of a point is the mean of its runs; the bars and ± are the half-width of the 95 % confidence interval of that mean, by Student’s t over the runs. The recommendation compares an update and its reads, within each run. <a href="https://github.com/unikv/unikv/blob/main/docs/guides/bench-deltas.md">The guide</a> has its rule.</p>`
}
