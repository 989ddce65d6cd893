import {
  any,
  flag,
  invalidConfig,
  label,
  ms,
  needed,
  type OptionsOf,
  oneOf,
  part,
  plainName,
  readOptions,
  text,
  texts,
  whole,
} from '@unikv/core/adapter'
import type { Cluster, Redis } from 'ioredis'
import type { RedisDurability } from './capabilities.ts'
import { checkNodeRedis, isNodeRedis } from './client/node-redis-client.ts'
import type { NodeRedisClient } from './client/node-redis-connection.ts'
import { checkClient } from './client/redis-client.ts'
import { parseNodes, parseUrl, type Target } from './client/redis-url.ts'

/** Longest time that the clients' own timers and `WAIT` take. */
const longestTimerMs = 2 ** 31 - 1

const replicasTable = {
  /** Replicas that must acknowledge, besides the primary. 1 or more. */
  wait: needed(whole(undefined)),
  /** How long the primary waits for them. Later calls on the connection wait too. @default 1,000 */
  timeoutMs: ms(1_000, { most: longestTimerMs }),
}

const table = {
  /**
   * `redis://[user:password@]host[:port][/db]`, `rediss://…` for TLS, `redis+unix:///path?db=2` for a Unix socket, or
   * `redis+cluster://[user:password@]host:port,host:port` (`rediss+cluster://…`).
   *
   * @default 'redis://127.0.0.1:6379'
   */
  url: text(),
  /** Nodes of a Redis Cluster, one URL each, instead of `url`; some are enough, the others are found. */
  cluster: texts(),
  /**
   * A client of yours, of ioredis or (for one server) of node-redis, which stays open at `close()`. It must never
   * send a command twice, so one of ioredis is refused unless it was made with `autoResendUnfulfilledCommands: false`
   * (a `Cluster`: `retryDelayOnFailover: 0` and `scaleReads: 'master'`). None may have a `keyPrefix`.
   */
  client: any<HandedIn>(),
  /**
   * The library that opens `url`: `ioredis`, or `node-redis` (the package `redis`; one server, no cluster).
   *
   * @default 'ioredis'
   */
  driver: oneOf(undefined, ['ioredis', 'node-redis']),
  /** Start of the keys, which a colon follows: `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  dataset: plainName('unikv'),
  /**
   * `bytes`: records with version and expiry. `raw`: foreign strings as they are, without versions, conditions
   * or expiry.
   *
   * @default 'bytes'
   */
  values: oneOf('bytes', ['bytes', 'raw']),
  /**
   * The failures that acknowledged writes survive: `buffered` with `appendonly yes` in the server, `flushed` with
   * `appendfsync always` besides. Rejected on first use if the server's settings promise less.
   *
   * @default 'memory'
   */
  durability: oneOf<RedisDurability>('memory', ['memory', 'buffered', 'flushed']),
  /**
   * Your server drops live records when it is full: it has a `maxmemory`, and its `maxmemory-policy` is not `noeviction`.
   * Such a server is rejected on first use unless this is `true` (in a URL `?evicts=true`). Layers that cannot live with that refuse
   * the store.
   *
   * @default false
   */
  evicts: flag(false),
  /**
   * Offer `consistency: 'replicated'`: a write with it is done when so many replicas have acknowledged it (WAIT):
   * `{ wait, timeoutMs }`, in a URL `?replicas=1`.
   *
   * @default not offered
   */
  replicas: part(replicasTable),
  /** How long a connection may take to open. Not for a client of yours. @default 5,000 */
  connectTimeoutMs: ms(5_000, { most: longestTimerMs }),
  /**
   * How long a server may stay silent while answers are due before its connection is given up: with a dead one
   * later calls would wait in vain too. Once a call has timed out in silence, it is given up at once. Not for a client of yours. @default 10,000
   */
  socketTimeoutMs: ms(10_000),
  /** For errors and reports. @default 'redis' */
  name: label('redis'),
}

/** Settings of the Redis store. One of `url`, `cluster` and `client` says where the data is. */
export interface RedisOptions extends OptionsOf<typeof table> {}

/** How many replicas must have a write of level `replicated`, and how long they may take. */
export interface Replicas extends OptionsOf<typeof replicasTable> {}

/** A client that was handed in. */
export type HandedIn = Redis | Cluster | NodeRedisClient

/** Where the data is: behind a client that was handed in, or at servers for which the store opens one. */
export type RedisSource =
  | { readonly client: HandedIn }
  | { readonly target: Target; readonly driver: 'ioredis' | 'node-redis' }

/** Options with their defaults, checked. */
export type RedisSettings = ReturnType<typeof settingsOf>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`; the message never shows the URL, which may hold a password
 */
export function settingsOf(options: RedisOptions = {}) {
  const { values, ...settings } = readOptions('redis', table, options)
  const source = sourceOf(settings)
  const isCluster = 'target' in source ? source.target.cluster : isClusterClient(source.client)
  return {
    ...settings,
    source,
    isCluster,
    /** Another server may take over, with what it had got so far. */
    failsOver: isCluster || ('client' in source && hasSentinels(source.client)),
    /** Values are foreign strings. */
    raw: values === 'raw',
  }
}

function sourceOf({ url, cluster, client, driver }: RedisOptions): RedisSource {
  const places = [url, cluster, client].filter((place) => place !== undefined)
  check(places.length <= 1, 'give at most one of url, cluster and client')
  if (client !== undefined) {
    check(driver === undefined, 'driver cannot be combined with client')
    checkHandedIn(client)
    return { client }
  }
  const target = cluster === undefined ? parseUrl(url ?? 'redis://127.0.0.1:6379') : parseNodes(cluster)
  check(driver !== 'node-redis' || !target.cluster, "a cluster needs driver 'ioredis'")
  return { target, driver: driver ?? 'ioredis' }
}

function checkHandedIn(client: HandedIn): void {
  if (isNodeRedis(client)) checkNodeRedis(client)
  else checkClient(client)
}

function isClusterClient(client: HandedIn): boolean {
  return 'isCluster' in client && client.isCluster
}

function hasSentinels(client: HandedIn): boolean {
  const { options } = client as { readonly options?: { readonly sentinels?: unknown } }
  return options?.sentinels != null
}

function check(condition: boolean, reason: string): asserts condition {
  if (!condition) throw invalidConfig(`Wrong option of redis(): ${reason}.`)
}
