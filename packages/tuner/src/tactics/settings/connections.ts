import { busyMs } from '../../observe/work.ts'
import type { Candidate, Facts, Tactic } from '../../tactic.ts'
import { parameterIn, type Setting, settingTactic } from './setting.ts'

/** Connections of a pool that the URL does not say. */
const usual = 10
const mostConnections = 100
/** Products whose URL says how many connections there are. */
const pooled: readonly string[] = ['postgres', 'mysql']
/** From so many calls under way for each connection on, calls wait for one. */
const full = 0.9

/** Opens more connections where calls wait for one. */
export const moreConnections: Tactic<string | undefined> = settingTactic({
  name: 'more-connections',
  knowledge: {
    effects: [
      { on: 'all', of: 'latency', times: [0.3, 1] },
      { on: 'all', of: 'throughput', times: [1, 2] },
    ],
    cost: 'Memory of the server for each connection, some 5 to 10 MB with PostgreSQL.',
    source: "Little's law: calls under way are rate times latency; more of them than connections wait.",
  },
  applies: (facts) => {
    const found = poolOf(facts)
    if (found === undefined) return []
    const { now, underWay, free } = found
    if (underWay < now * full) return []
    const next = Math.min(mostConnections, now * 2, now + Math.floor(free / 2))
    const candidate = resized(facts, now, next)
    if (next <= now)
      return [
        {
          ...candidate,
          refused: 'The server has no connections left, or the pool is as large as it may be.',
        },
      ]
    // Twice the places take what waited.
    const factor = Math.max(now / next, 0.5)
    const all = Object.keys(facts.work).map((name) => [name, 1] as const)
    return [
      {
        ...candidate,
        // The work stays the same: calls wait less for it.
        latency: Object.fromEntries(all),
        tail: () => factor,
        errors: 0.5,
        figures: [
          { name: 'calls under way', value: underWay, unit: 'times' },
          { name: 'connections of the pool', value: now, unit: 'connections' },
          { name: 'connections that the server has left', value: free, unit: 'connections' },
        ],
      },
    ]
  },
})

/** Closes connections where the server runs out of them. */
export const fewerConnections: Tactic<string | undefined> = settingTactic({
  name: 'fewer-connections',
  knowledge: {
    effects: [{ on: 'all', of: 'latency', times: [1, 1.3] }],
    cost: 'Calls may wait for a connection when many come at once.',
    source: "Little's law: a pool needs as many connections as calls are under way.",
  },
  applies: (facts) => {
    const found = poolOf(facts)
    if (found === undefined) return []
    const { now, underWay, used } = found
    const next = Math.max(2, Math.ceil(underWay * 2), Math.floor(now / 2))
    if (next >= now) return []
    return [
      {
        ...resized(facts, now, next),
        resources: { connections: Math.max(0, used - (now - next)) / Math.max(1, used) },
        figures: [
          { name: 'connections of the pool', value: now, unit: 'connections' },
          { name: 'calls under way', value: underWay, unit: 'times' },
          { name: 'connections of all clients', value: used, unit: 'connections' },
        ],
      },
    ]
  },
})

interface Pool {
  readonly now: number
  readonly underWay: number
  /** Connections of all clients. */
  readonly used: number
  readonly free: number
}

function poolOf({ kind, configuration, work, server }: Facts<undefined>): Pool | undefined {
  if (!pooled.includes(kind) || configuration.url === undefined) return undefined
  const { connections = 0, maxConnections = 100 } = server?.statistics ?? {}
  const now = Number(parameterIn(configuration, 'maxConnections') ?? usual)
  return { now, underWay: busyMs(work) / 1000, used: connections, free: maxConnections - connections }
}

function resized({ store, configuration }: Facts<undefined>, now: number, next: number): Candidate {
  const setting: Setting = {
    parameter: 'maxConnections',
    before: parameterIn(configuration, 'maxConnections') ?? null,
    after: String(next),
  }
  return {
    change: setting,
    title: `a pool of ${next} connections to ${store}, in place of ${now}`,
    seconds: 2,
    figures: [],
  }
}
