import { type Policy, type ServerFeatures, type Violation, violationOf } from '@unikv/monitor/recorder'
import type { Observation, Observations } from './observations.ts'

/** A promise that is not kept, or a resource of a server or a process that is used up. */
export type Trouble =
  | { readonly type: 'violation'; readonly store: string; readonly violation: Violation }
  | { readonly type: 'saturation'; readonly store: string; readonly resource: string; readonly share: number }

/** So many windows in a row make a trouble that lasts. */
const lasting = 3
/** From this share on a resource is saturated. */
const saturated = 0.9

/** Finds what lasts: one bad window is none, and neither is one in which the last five seconds were good. */
export class Troubles {
  readonly #policies: readonly Policy[]
  readonly #counts = new Map<string, { readonly windows: number; readonly sinceAt: number }>()

  constructor(policies: readonly Policy[]) {
    this.#policies = policies
  }

  /** The troubles that last, after one more window was observed. */
  look(observations: Observations): readonly Trouble[] {
    const at = observations.latest?.at ?? 0
    const violations = this.#policies.flatMap((policy, i): Trouble[] => {
      const violation = violated(policy, observations, this.#counts.get(`${i}`)?.sinceAt ?? at)
      if (!this.#lasts(`${i}`, violation !== undefined, at) || violation === undefined) return []
      return [{ type: 'violation', store: policy.store, violation }]
    })
    const saturations = [...usedByServers(observations), ...usedByProcesses(observations)].flatMap(
      ({ store, resource, share }): Trouble[] =>
        this.#lasts(`${store} ${resource}`, share >= saturated, at)
          ? [{ type: 'saturation', store, resource, share }]
          : [],
    )
    return [...violations, ...saturations]
  }

  /** Since when a promise is broken (milliseconds since the epoch); `undefined`: it is kept. */
  brokenSince(policy: Policy): number | undefined {
    return this.#counts.get(`${this.#policies.indexOf(policy)}`)?.sinceAt
  }

  #lasts(name: string, isThere: boolean, at: number): boolean {
    if (!isThere) {
      this.#counts.delete(name)
      return false
    }
    const before = this.#counts.get(name)
    const windows = (before?.windows ?? 0) + 1
    this.#counts.set(name, { windows, sinceAt: before?.sinceAt ?? at })
    return windows >= lasting
  }
}

interface Used {
  readonly store: string
  readonly resource: string
  readonly share: number
}

/** Figures of a server: what is used of a resource, and the most that there is. */
const resources = {
  connections: ['connections', 'maxConnections'],
  memory: ['memoryBytes', 'maxMemoryBytes'],
  storage: ['storedBytes', 'maxStoredBytes'],
  disk: ['diskUsedBytes', 'diskBytes'],
} as const

/** The share of a resource of a server that is used; `undefined`: it does not tell. */
export function usedOf(server: ServerFeatures | undefined, resource: string): number | undefined {
  const names = resources[resource as keyof typeof resources]
  const [used, most] = (names ?? []).map((name) => server?.statistics[name])
  return used === undefined || most === undefined || most <= 0 ? undefined : used / most
}

/** Resources of servers whose limit is known. */
function usedByServers({ latest }: Observations): readonly Used[] {
  return Object.entries(latest?.servers ?? {}).flatMap(([store, server]) =>
    Object.keys(resources).map((resource) => ({ store, resource, share: usedOf(server, resource) ?? 0 })),
  )
}

/** Resources of a process, and their shares in its load. */
const ofProcess = { heap: 'heapShare', loop: 'loopShare' } as const

/**
 * The share of a resource that the busiest process uses: its heap, which the caches of all stores fill, or its event loop, which
 * is the processor of a program in one thread. `undefined`: it is not of a process.
 */
export function usedOfProcess(
  { loads = [] }: Pick<Observation, 'loads'>,
  resource: string,
): number | undefined {
  const name = ofProcess[resource as keyof typeof ofProcess]
  return name === undefined ? undefined : Math.max(0, ...loads.map((load) => load[name]))
}

function usedByProcesses({ latest }: Observations): readonly Used[] {
  return Object.keys(latest?.frame ?? {}).flatMap((store) =>
    Object.keys(ofProcess).map((resource) => ({
      store,
      resource,
      share: usedOfProcess(latest ?? {}, resource) ?? 0,
    })),
  )
}

function violated(policy: Policy, observations: Observations, sinceAt: number): Violation | undefined {
  const over = policy.over ?? '30s'
  const found = observations.last(policy.store, over).figures[policy.operation]
  const latest = observations.last(policy.store, '5s').figures[policy.operation]
  if (found === undefined || latest === undefined) return undefined
  const violation = violationOf(policy, found, sinceAt)
  const isNow = violationOf({ ...policy, minCalls: 1 }, latest, sinceAt) !== undefined
  return isNow ? violation : undefined
}
