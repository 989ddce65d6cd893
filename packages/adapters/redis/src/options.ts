import {
  checkDatasetName,
  checkFactoryOptions,
  checkMs,
  checkPositive,
  invalidConfig,
  type OptionNames,
} from '@unikv/core/adapter'
import type { Cluster, Redis } from 'ioredis'
import { checkNodeRedis, isNodeRedis } from './client/node-redis-client.ts'
import type { NodeRedisClient } from './client/node-redis-connection.ts'
import { checkClient } from './client/redis-client.ts'
import { parseNodes, parseUrl, type Target } from './client/redis-url.ts'

/** Settings of the Redis store. One of `url`, `cluster` and `client` says where the data is. */
export interface RedisOptions {
  /**
   * `redis://[user:password@]host[:port][/db]`, `rediss://…` for TLS, `redis+unix:///path?db=2` for a Unix socket, or
   * `redis+cluster://[user:password@]host:port,host:port` (`rediss+cluster://…`).
   *
   * @default 'redis://127.0.0.1:6379'
   */
  readonly url?: string | undefined
  /** Nodes of a Redis Cluster, one URL each; some are enough, the others are found. */
  readonly cluster?: readonly string[] | undefined
  /**
   * A client of yours, of ioredis or (for one server) of node-redis, which stays open at `close()`. It must never
   * send a command twice, so one of ioredis is refused unless it was made with `autoResendUnfulfilledCommands: false`
   * (a `Cluster`: `retryDelayOnFailover: 0` and `scaleReads: 'master'`). None may have a `keyPrefix`.
   */
  readonly client?: HandedIn | undefined
  /**
   * The library that opens `url`: `ioredis`, or `node-redis` (the package `redis`; one server, no cluster).
   *
   * @default 'ioredis'
   */
  readonly driver?: 'ioredis' | 'node-redis' | undefined
  /** Start of the keys, which a colon follows: `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly dataset?: string | undefined
  /**
   * `bytes`: records with version and expiry. `raw`: foreign strings as they are, without versions, conditions
   * or expiry.
   *
   * @default 'bytes'
   */
  readonly values?: 'bytes' | 'raw' | undefined
  /**
   * The failures that acknowledged writes survive: `buffered` with `appendonly yes` in the server, `flushed` with
   * `appendfsync always` besides. Rejected on first use if the server's settings promise less.
   *
   * @default 'memory'
   */
  readonly durability?: RedisDurability | undefined
  /**
   * Your server drops live records when it is full: it has a `maxmemory`, and its `maxmemory-policy` is not `noeviction`.
   * Such a server is rejected on first use unless this is `true`.
   *
   * @default false
   */
  readonly evicts?: boolean | undefined
  /**
   * Offer `consistency: 'replicated'`: a write with it is done when so many replicas have acknowledged it (WAIT).
   *
   * @default not offered
   */
  readonly replicas?: Replicas | undefined
  /** How long a connection may take to open. Not for a client of yours. @default 5,000 */
  readonly connectTimeoutMs?: number | undefined
  /**
   * How long a server may stay silent while answers are due before its connection is given up: with a dead one
   * later calls would wait in vain too. Not for a client of yours. @default 10,000
   */
  readonly socketTimeoutMs?: number | undefined
  /** For errors and reports. @default 'redis' */
  readonly name?: string | undefined
}

/** How many replicas must have a write of level `replicated`, and how long they may take. */
export interface Replicas {
  /** Replicas that must acknowledge, besides the primary. 1 or more. */
  readonly wait: number
  /** How long the primary waits for them. Later calls on the connection wait too. @default 1,000 */
  readonly timeoutMs?: number | undefined
}

/** The failures that acknowledged writes may survive. */
export type RedisDurability = 'memory' | 'buffered' | 'flushed'

/** A client that was handed in. */
export type HandedIn = Redis | Cluster | NodeRedisClient

/** Where the data is: behind a client that was handed in, or at servers for which the store opens one. */
export type RedisSource =
  | { readonly client: HandedIn }
  | { readonly target: Target; readonly driver: 'ioredis' | 'node-redis' }

/** Options with their defaults, checked. */
export interface RedisSettings {
  readonly source: RedisSource
  /** Start of the keys, without the colon. */
  readonly dataset: string
  readonly isCluster: boolean
  /** Another server may take over, with what it had got so far. */
  readonly failsOver: boolean
  /** Values are foreign strings. */
  readonly raw: boolean
  readonly durability: RedisDurability
  readonly evicts: boolean
  readonly replicas: Replicas | undefined
  readonly connectTimeoutMs: number
  readonly socketTimeoutMs: number
  readonly name: string
}

const optionNames: OptionNames<RedisOptions> = {
  url: true,
  cluster: true,
  client: true,
  driver: true,
  dataset: true,
  values: true,
  durability: true,
  evicts: true,
  replicas: true,
  connectTimeoutMs: true,
  socketTimeoutMs: true,
  name: true,
}

/** Longest time that the clients' own timers and `WAIT` take. */
const longestTimerMs = 2 ** 31 - 1

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`; the message never shows the URL, which may hold a password
 */
export function settingsOf(options: RedisOptions = {}): RedisSettings {
  checkFactoryOptions('redis', options, optionNames)
  const { dataset = 'unikv', values = 'bytes', durability = 'memory', replicas } = options
  const { connectTimeoutMs = 5_000, socketTimeoutMs = 10_000 } = options
  checkDatasetName('dataset', dataset)
  check(values === 'bytes' || values === 'raw', "values must be 'bytes' or 'raw'")
  check(
    ['memory', 'buffered', 'flushed'].includes(durability),
    "durability must be 'memory', 'buffered' or 'flushed'",
  )
  if (replicas !== undefined) checkReplicas(replicas)
  checkMs({ connectTimeoutMs }, { most: longestTimerMs })
  checkMs({ socketTimeoutMs })
  const source = sourceOf(options)
  const isCluster = 'target' in source ? source.target.cluster : isClusterClient(source.client)
  return {
    source,
    dataset,
    isCluster,
    failsOver: isCluster || ('client' in source && hasSentinels(source.client)),
    raw: values === 'raw',
    durability,
    evicts: options.evicts ?? false,
    replicas,
    connectTimeoutMs,
    socketTimeoutMs,
    name: options.name ?? 'redis',
  }
}

function checkReplicas(replicas: Replicas): void {
  checkFactoryOptions('redis.replicas', replicas, {
    wait: true,
    timeoutMs: true,
  } satisfies OptionNames<Replicas>)
  const { wait, timeoutMs = 1 } = replicas
  checkPositive({ 'replicas.wait': wait })
  checkMs({ 'replicas.timeoutMs': timeoutMs }, { most: longestTimerMs })
}

function sourceOf({ url, cluster, client, driver }: RedisOptions): RedisSource {
  const places = [url, cluster, client].filter((place) => place !== undefined)
  check(places.length <= 1, 'give at most one of url, cluster and client')
  if (client !== undefined) {
    check(driver === undefined, 'driver cannot be combined with client')
    checkHandedIn(client)
    return { client }
  }
  const by = driver ?? 'ioredis'
  check(by === 'ioredis' || by === 'node-redis', "driver must be 'ioredis' or 'node-redis'")
  const target = cluster === undefined ? parseUrl(url ?? 'redis://127.0.0.1:6379') : parseNodes(cluster)
  check(by === 'ioredis' || !target.cluster, "a cluster needs driver 'ioredis'")
  return { target, driver: by }
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
