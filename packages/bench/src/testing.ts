export { VirtualClock } from './loop/virtual-clock.ts'
