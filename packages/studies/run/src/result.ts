import type { StudyResult } from '@unikv/workload'
import type { DrivenBody } from '@unikv/workload/driven'
import type { RunConfig } from './config.ts'

/** The whole result of `unikv bench run`: `result.json`. */
export type RunResult = StudyResult<RunConfig, DrivenBody>
