export { type CrewOptions, openCrew, type QueueCrew } from './crew/open-crew.ts'
export type { QueueWorker, WorkerEnd, WorkerOptions } from './worker/options.ts'
export { startWorker } from './worker/start-worker.ts'
