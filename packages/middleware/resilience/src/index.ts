export type {
  BreakerOptions,
  BreakerState,
  ConcurrencyOptions,
  HedgeOptions,
  ResilienceEvent,
  ResilienceOptions,
  RetryOptions,
} from './options.ts'
export { type Resilience, type ResilienceStats, resilience } from './resilience.ts'
