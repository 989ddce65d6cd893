export { openCrew, type QueueCrew } from './crew/open-crew.ts'
export { startWorker } from './worker/bench-worker.ts'
