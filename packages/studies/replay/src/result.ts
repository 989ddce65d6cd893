import type { StudyResult } from '@unikv/workload'
import type { DrivenBody } from '@unikv/workload/driven'
import type { ReplayConfig } from './config.ts'

/** The whole result of `unikv bench replay`: `result.json`. */
export type ReplayResult = StudyResult<ReplayConfig, DrivenBody>
