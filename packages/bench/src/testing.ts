export { VirtualClock } from './loop/clock.ts'
