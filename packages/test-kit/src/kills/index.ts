export { batchOf } from './lanes.ts'
export { writeLanes } from './write-lanes.ts'
