import { drivenReport } from '../../../driven/report/report.ts'
import type { StudyReport } from '../../../study/study-report.ts'
import { missedPrecision } from '../precision.ts'
import type { RunResult } from '../result.ts'
import { earlyEnds } from './early-ends.ts'
import { method } from './method.ts'
import { unsteadyWarmups } from './unsteady.ts'
import { runsText, workloadLines } from './workload-lines.ts'

/** The report of the study. */
export const report: StudyReport<RunResult> = {
  title: 'Workload',
  ...drivenReport,
  findings: (result) => [
    ...drivenReport.findings(result),
    ...unsteadyWarmups(result),
    ...earlyEnds(result),
    ...missedPrecision(result),
  ],
  setup: (result) => [...workloadLines(result), ['runs', runsText(result)]],
  method,
}
