import type { DrivenBody } from '../../driven/result.ts'
import type { StudyResult } from '../../study/study.ts'
import type { ReplayConfig } from './config.ts'

/** The whole result of `unikv bench replay`: `result.json`. */
export type ReplayResult = StudyResult<ReplayConfig, DrivenBody>
