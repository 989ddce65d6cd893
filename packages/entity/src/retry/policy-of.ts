import { kindOf, StoreError } from '@unikv/core/adapter'
import { profiles, type RetryProfile } from './profiles.ts'
import type { RetryPolicy } from './retry-policy.ts'

/**
 * The policy of this name, or the function itself.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function policyOf(whose: string, retry: RetryProfile | RetryPolicy): RetryPolicy {
  if (typeof retry === 'function') return checked(whose, retry)
  if (Object.hasOwn(profiles, retry)) return profiles[retry]
  const known = Object.keys(profiles)
  const got = typeof retry === 'string' ? JSON.stringify(retry) : kindOf(retry)
  const message = `\`retry\` of ${whose}() must be a function or one of ${known.join(', ')}, got ${got}.`
  throw new StoreError('INVALID_CONFIG', message)
}

/** A policy of the application: anything else than a time, or nothing, is its mistake. */
function checked(whose: string, retry: RetryPolicy): RetryPolicy {
  return (lost) => {
    const waitMs = retry(lost)
    if (waitMs === undefined || (typeof waitMs === 'number' && waitMs >= 0 && Number.isFinite(waitMs)))
      return waitMs
    const message = `The function \`retry\` of ${whose}() must return a number of milliseconds, or undefined to give up, got ${typeof waitMs === 'number' ? waitMs : kindOf(waitMs)}.`
    throw new StoreError('INVALID_ARGUMENT', message)
  }
}
