import type { DrivenBody } from '../../driven/result.ts'
import type { StudyResult } from '../../study/study.ts'
import type { RunConfig } from './config.ts'

/** The whole result of `unikv bench run`: `result.json`. */
export type RunResult = StudyResult<RunConfig, DrivenBody>
