export type { DriveHooks, DriveRequest, Driver, LoadHooks, LoadPart, LoopPlan } from './drive/driver.ts'
export { type WorkloadLaws, workloadLaws } from './drive/laws.ts'
export { type DriverOptions, localDriver } from './drive/local-driver.ts'
export type { DriveSample, KindSample, LoadSample, ScheduleSample } from './drive/sample.ts'
