import { heard } from '@unikv/core/adapter'
import type { Policy, PolicyFactory, Resident } from './policy.ts'

/**
 * A policy of the application, whose mistakes break no reader: what throws is as if it had not been asked. A victim that is
 * none is replaced by the cache.
 */
export function ownPolicy(make: PolicyFactory): PolicyFactory {
  return (bounds) => {
    const own = make(bounds)
    const guarded: Policy = {
      add: (resident) => attempt(() => own.add(resident)),
      use: (resident) => attempt(() => own.use(resident)),
      remove: (resident) => attempt(() => own.remove(resident)),
      victim: () => attempt(() => own.victim()) as Resident,
    }
    if (own.hottest === undefined) return guarded
    return { ...guarded, hottest: () => attempt(() => Array.from(own.hottest?.() ?? [])) ?? [] }
  }
}

function attempt<T>(ask: () => T): T | undefined {
  try {
    return heard(ask())
  } catch {
    return undefined
  }
}
