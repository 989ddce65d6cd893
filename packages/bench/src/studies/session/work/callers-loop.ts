import type { LoopPlan } from '../../../drive/driver.ts'

/** Callers that each wait for their answer. */
export function callersLoop(concurrency: number): LoopPlan {
  return { concurrency, rate: null, arrivals: 'constant', maxInFlight: 1, whenFull: 'queue' }
}
