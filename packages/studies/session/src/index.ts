export type { AccessConfig, JobEvent, SessionConfig } from './config.ts'
export { type GivenJob, jobIn } from './document/job.ts'
export type { EventResult, JobResult, SessionBody, SessionResult, SessionRunResult } from './result.ts'
export { session } from './study.ts'
