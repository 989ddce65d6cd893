import { drivenReport } from '@unikv/workload/driven'
import type { StudyReport } from '@unikv/workload/report'
import type { RunResult } from '../result.ts'
import { method } from './method.ts'
import { runsText, workloadLines } from './workload-lines.ts'

/** The report of the study. */
export const report: StudyReport<RunResult> = {
  title: 'Workload',
  ...drivenReport,
  setup: (result) => [...workloadLines(result), ['runs', runsText(result)]],
  method,
}
