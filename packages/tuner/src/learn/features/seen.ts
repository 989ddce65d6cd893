import { queryNamed } from '@unikv/monitor'
import { type Policy, type ServerFeatures, violationOf } from '@unikv/monitor/recorder'
import { type StoreWork, workOf } from '../../observe/work.ts'
import { changesOf } from './changes.ts'
import type { BusyQuery, PromiseState, Seen, ServerFigures } from './feature.ts'
import type { Subject } from './subject.ts'

/** All that the numbers of a store are taken from. */
export function seenOf(subject: Subject): Seen {
  const { store, observations, configuration, kind } = subject
  const { latest } = observations
  const over = (name: '5s' | '30s' | '5min'): StoreWork => {
    const { figures, seenMs } = observations.last(store, name)
    return workOf(figures, seenMs)
  }
  const work = { '5s': over('5s'), '30s': over('30s'), '5min': over('5min') }
  const changes = changesOf(subject)
  return {
    work,
    loads: (latest?.loads ?? []).toSorted((a, b) => b.cpuShare - a.cpuShare),
    processes: latest?.processes ?? 0,
    server: serverFigures(latest?.servers[store]),
    promises: subject.policies.map((policy) => promiseState(policy, subject)),
    kind,
    pair: configuration.mirror ? 'mirror' : configuration.fallback ? 'fallback' : undefined,
    ...changes,
    indexes: changes.indexes.length,
    queries: busyQueries(work['30s'], changes.indexes),
  }
}

function serverFigures(server: ServerFeatures | undefined): ServerFigures | undefined {
  if (server === undefined || server.error !== undefined) return undefined
  const { statistics: its, cacheHitRate: hitRate, ...rates } = server
  const share = (used: number | undefined, most: number | undefined): number | undefined =>
    used === undefined || most === undefined || most <= 0 ? undefined : used / most
  return {
    connections: share(its.connections, its.maxConnections),
    memory: share(its.memoryBytes, its.maxMemoryBytes),
    storage: share(its.storedBytes, its.maxStoredBytes),
    disk: share(its.diskUsedBytes, its.diskBytes),
    openConnections: its.connections,
    hitRate,
    evictionsPerSecond: rates.evictionsPerSecond,
    operationsPerSecond: rates.operationsPerSecond,
    storedBytes: its.storedBytes,
    growthBytesPerHour: rates.growthBytesPerHour,
    records: its.records,
  }
}

/** A promise that is broken further than this counts the same. */
const mostUse = 1000

function promiseState(policy: Policy, { store, observations, brokenSince, now }: Subject): PromiseState {
  const figures = observations.last(store, policy.over ?? '30s').figures[policy.operation]
  const sinceAt = brokenSince(policy)
  const brokenFor = sinceAt === undefined ? undefined : Math.max(0, now - sinceAt) / 1000
  if (figures === undefined) return { use: 0, brokenFor }
  const { belowMs, maxErrorShare, minHitRate } = policy
  // A broken promise tells its figure.
  const never = { ...policy, minCalls: 1, ...neverKept(policy) }
  const found = violationOf(never, figures, 0)?.found ?? 0
  const use = minHitRate === undefined ? found / (belowMs ?? maxErrorShare ?? 1) : minHitRate / found
  return { use: Number.isFinite(use) ? Math.min(mostUse, use) : mostUse, brokenFor }
}

function neverKept({ belowMs, maxErrorShare }: Policy): Partial<Policy> {
  if (belowMs !== undefined) return { belowMs: Number.MIN_VALUE }
  return maxErrorShare === undefined ? { minHitRate: 2 } : { maxErrorShare: -1 }
}

function busyQueries(work: StoreWork, indexes: readonly (readonly string[])[]): readonly BusyQuery[] {
  const queries = Object.entries(work).flatMap(([name, figures]) => {
    const query = queryNamed(name)
    return query === undefined ? [] : [{ figures, isIndexed: indexes.some((by) => startsWith(by, query.by)) }]
  })
  return queries.toSorted((a, b) => b.figures.callsPerSecond - a.figures.callsPerSecond)
}

/** Whether an index begins with these attributes, in any order. */
function startsWith(index: readonly string[], by: readonly string[]): boolean {
  const first = index.slice(0, by.length)
  return by.every((name) => first.includes(name))
}
