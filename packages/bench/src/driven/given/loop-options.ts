import { z } from 'zod'
import { parseSize } from '../../data/size-list.ts'
import { type ClientPlan, cannotReopen } from '../../drive/clients.ts'
import type { LoopPlan } from '../../drive/driver.ts'
import { length, time } from '../../options/forms.ts'
import { invalidArgument } from '../../options/invalid.ts'
import { eachPhaseHas, option } from '../../options/option.ts'
import type { StoreTarget } from '../../run/target.ts'
import { milliseconds } from '../../study/study-config.ts'
import { parseThreshold, thresholdSchema } from '../thresholds/threshold.ts'

// Options that several studies have: each has a default of its own where these have none.

/** Bytes of a value, all alike. */
export const valueBytes = option(
  z
    .int()
    .min(1)
    .max(2 ** 24)
    .default(1_000),
  {
    help: 'bytes of values, such as 1K',
    argument: '<size>',
    parse: parseSize,
  },
)

/** Callers that each wait for their answer. */
export const callers = option(z.int().min(1).max(100_000).default(16), {
  help: 'callers that each wait for their answer',
  alike: 'concurrency',
})

/** Most operations in flight at a rate. */
export const mostInFlight = option(z.int().min(1).max(1_000_000).default(1_024), {
  help: 'with a rate: most operations in flight',
  alike: null,
})

/** Worker threads that share the work. */
export const threadCount = option(z.int().min(1).max(256).default(1), {
  help: 'threads that share callers or rate, each with a store of its own',
  alike: 'threads',
})

/** Workers elsewhere that share the work; 0: this process alone. */
export const workerCount = option(z.int().min(0).max(1_000).default(0), {
  help: 'workers elsewhere that share callers or rate: see bench worker (needs --queue)',
  preset: 'this process alone',
  alike: 'workers',
})

/** Whether callers are one application, whose calls are merged, or each by itself. */
export const mergedCalls = option(z.enum(['on', 'off']).default('off'), {
  help: 'on: callers share one client, which merges their calls, as in an application; off: each has its own',
  alike: 'merged calls',
})

/** How many times a store is opened; `each`: once for each caller. */
export const connectionCount = option(z.union([z.int().min(1).max(10_000), z.literal('each')]).default(1), {
  help: 'open the store so many times, or each: once for each caller, and spread the callers over that',
  argument: '<number|each>',
  parse: parseConnections,
  guide:
    'One store has the connections that its URL gives it: one for Redis, a pool of up to 10 for PostgreSQL. With `each`, a number of callers for which the server has no connections is a missing point of a sweep. Over a URL with several nodes of Cassandra, each further connection sends its requests to one of them, in turn.',
  alike: 'connections',
})

/** Whether reads of a store that evicts may find no record. */
export const allowedMisses = option(z.boolean().default(false), {
  help: 'a store that evicts records may lose some of those that were loaded; otherwise such a run is invalid',
  alike: 'misses allowed',
})

function parseConnections(given: string): number | 'each' {
  if (given === 'each') return given
  const count = /^\d+$/.test(given) ? Number(given) : 0
  if (count >= 1) return count
  throw invalidArgument(`'${given}' is not a number of connections. Write a number from 1, or each.`)
}

/** Length of one run. */
export const runLength = option(milliseconds, {
  flag: 'duration',
  help: 'length of a run, such as 30s or 5m',
  ...length,
  idle: [eachPhaseHas(({ durationMs }) => durationMs !== null)],
  alike: 'length of runs',
})

/** Most operations of one run. */
export const mostOperations = option(z.int().min(1).nullable().default(null), {
  help: 'most operations of a run',
  idle: [eachPhaseHas(({ operations }) => operations !== null)],
  alike: 'operations of a run',
})

/** Length of the part before the first run, which is not counted. */
export const warmupLength = option(z.number().min(0).max(86_400_000), {
  flag: 'warmup',
  help: 'length of the warm-up, such as 2s',
  ...time,
})

/** Bounds of figures; a run beyond one of them fails. */
export const thresholds = option(z.array(thresholdSchema).default([]), {
  help: 'fail (exit 3) if so, such as "read.p99 > 10ms", "errors > 0.1%" or "misses > 5%"',
  argument: '<threshold>',
  parse: parseThreshold,
  isRepeatable: true,
  alike: null,
})

/** The part of a configuration that tells how callers reach a store. */
export interface ClientOptions {
  readonly merge: 'on' | 'off'
  readonly connections: number | 'each'
  readonly allowMisses: boolean
}

/** How callers reach a store. */
export function clientPlan({ merge, connections }: Omit<ClientOptions, 'allowMisses'>): ClientPlan {
  return { merge: merge === 'on', connections }
}

/**
 * Refuse a connection for each caller where callers are not counted, further connections of an open store, and misses where no store
 * evicts.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` or `UNSUPPORTED`
 */
export function checkClients(
  { connections, allowMisses }: ClientOptions,
  loops: readonly LoopPlan[],
  stores: readonly StoreTarget[],
): void {
  if (connections === 'each' && loops.some(({ rate }) => rate !== null))
    throw invalidArgument('--connections each is for callers that wait. With a rate, give a number.')
  const given = connections === 1 ? undefined : stores.find(({ opener }) => opener === undefined)
  if (given !== undefined) throw cannotReopen(given.name)
  if (allowMisses && stores.every(({ store }) => !store.capabilities.evicts))
    throw invalidArgument(
      `--allow-misses is for a store that declares that it evicts records, such as Memcached, or Redis with ?evicts=true. ${stores.length === 1 ? `${stores[0]?.name} does not` : 'None of these stores does'}, so its reads must find the records that were loaded.`,
    )
}
