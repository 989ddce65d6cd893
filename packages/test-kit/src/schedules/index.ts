export { type ControlledOptions, ControlledRequests } from './controlled-requests.ts'
export { Random } from './random.ts'
export { settled, type Timers, takeTimers, withTimers } from './timers.ts'
