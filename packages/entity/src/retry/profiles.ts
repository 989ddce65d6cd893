import { exponential, type RetryPolicy } from './retry-policy.ts'

/**
 * Policies by name. `default`: 100 retries, 10 s of waiting. `optimistic` and `pessimistic` are those of Strudel's experiments
 * (Tatemura et al.): cheap attempts soon, or locks that need room.
 */
export const profiles: Readonly<Record<RetryProfile, RetryPolicy>> = {
  default: exponential(),
  optimistic: exponential({ atOnce: 10, retries: 200, totalMs: 300_000 }),
  pessimistic: exponential({ atOnce: 0, firstMs: 100, longestMs: 10_000, totalMs: 30_000 }),
}

/** A name of a policy. */
export type RetryProfile = 'default' | 'optimistic' | 'pessimistic'
