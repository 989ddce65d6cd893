export { Random } from './random.ts'
export { type Timers, takeTimers } from './timers.ts'
