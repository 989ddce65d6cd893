import { StoreError } from '@unikv/core'
import { heard } from '@unikv/core/adapter'
import type { Policy, PolicyFactory, Resident } from './policy.ts'

/**
 * A policy of the application, whose mistakes break no reader: what throws is as if it had not been asked. A victim that is
 * none is replaced by the cache.
 */
export function ownPolicy(make: PolicyFactory): PolicyFactory {
  return (bounds) => {
    const own = checked(heard(make(bounds)))
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

/** @throws {StoreError} `INVALID_CONFIG` */
function checked(policy: Policy): Policy {
  for (const name of ['add', 'use', 'remove', 'victim'] as const)
    if (typeof (policy as Partial<Policy> | null | undefined)?.[name] !== 'function')
      throw new StoreError(
        'INVALID_CONFIG',
        `policy must make an object with add, use, remove and victim; ${name} is missing.`,
      )
  return policy
}

function attempt<T>(ask: () => T): T | undefined {
  try {
    return heard(ask())
  } catch {
    return undefined
  }
}
