import { addFrames } from '@unikv/monitor'
import { type LiveProcess, type Policy, violationOf } from '@unikv/monitor/recorder'
import { figureText } from '@unikv/tuner'

/** Shown where a configuration has no policies. */
export const noPromises =
  'No promises: add monitor: { policies: [{ store, operation, belowMs }] } to the configuration.'

/** Processes that keep their figures, and promises about their stores. */
interface Watched {
  readonly processes: readonly LiveProcess[]
  readonly policies: readonly Policy[]
}

interface Shown {
  readonly policy: Policy
  readonly text: string
  readonly found: string
  readonly limit: string
  readonly isKept: 'kept' | 'broken' | 'no calls'
}

/** Each promise by the figures of the last seconds. */
export function promisesOf({ processes, policies }: Watched): readonly Shown[] {
  const frame = addFrames(processes.map((one) => one.frame))
  return policies.map((policy) => {
    const { store, operation, belowMs, maxErrorShare, minHitRate } = policy
    const unit = unitOf(policy)
    const limit = belowMs ?? maxErrorShare ?? minHitRate ?? 0
    const text = promiseText(policy)
    const figures = frame[store]?.[operation]
    const shown = { policy, text, limit: figureText(limit, unit) }
    if (figures === undefined) return { ...shown, found: '', isKept: 'no calls' }
    const violation = violationOf({ ...policy, minCalls: 1 }, figures, 0)
    return violation === undefined
      ? { ...shown, found: '', isKept: 'kept' }
      : { ...shown, found: figureText(violation.found, unit), isKept: 'broken' }
  })
}

/** A promise in words, without its limit. */
export function promiseText({ store, operation, percentile = 99, belowMs, maxErrorShare }: Policy): string {
  if (belowMs !== undefined) return `${percentile} % of ${operation} of ${store}`
  return `${maxErrorShare === undefined ? 'hit rate' : 'errors'} of ${operation} of ${store}`
}

/** The unit of the figure that a policy bounds. */
export function unitOf({ belowMs }: Policy): string {
  return belowMs === undefined ? 'share' : 'ms'
}
