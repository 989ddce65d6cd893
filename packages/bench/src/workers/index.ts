export { type CrewOptions, openCrew, type QueueCrew } from './crew/open-crew.ts'
export type { QueueWorker, WorkerEnd } from './worker/queue-worker.ts'
export { startWorker, type WorkerOptions } from './worker/start-worker.ts'
