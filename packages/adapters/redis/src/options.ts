import { type Bytes, type Capabilities, type Store, StoreError } from '@unikv/core'
import { checkFactoryOptions, checkMs, checkPositive, type OptionNames } from '@unikv/core/adapter'
import type { Cluster, Redis } from 'ioredis'
/** @ts-ignore Who uses ioredis need not have node-redis: its client is then of unknown type. */
import type { RedisClientType } from 'redis'
import type { NodeRedisClient } from './client/node-redis-connection.ts'

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
  readonly client?: Redis | Cluster | NodeRedisClient | undefined
  /**
   * The library that opens `url`: `ioredis`, or `node-redis` (the package `redis`; one server, no cluster).
   *
   * @default 'ioredis'
   */
  readonly driver?: 'ioredis' | 'node-redis' | undefined
  /** What the keys start with, followed by a colon: `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly dataset?: string | undefined
  /**
   * `bytes`: records with version and expiry. `raw`: foreign strings as they are, without versions, conditions
   * or expiry.
   *
   * @default 'bytes'
   */
  readonly values?: 'bytes' | 'raw' | undefined
  /**
   * What your server is configured for, which only you know: `buffered` with `appendonly yes`, `flushed` with
   * `appendfsync always` besides. Nothing is checked; it is what the capabilities say.
   *
   * @default 'memory'
   */
  readonly durability?: Durability | undefined
  /** Your server drops live records when it is full (`maxmemory-policy` is not `noeviction`). @default false */
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

/** The Redis store that these options make. */
export type RedisStore<O = {}> = Store<
  Bytes,
  RedisCapabilities<ValuesOf<O>, DurabilityOf<O>, EvictsOf<O>, LevelsOf<O>>,
  NativeOf<O>
>

type ValuesOf<O> = O extends { readonly values?: infer T } ? Chosen<T, 'bytes' | 'raw', 'bytes'> : 'bytes'
type DurabilityOf<O> = O extends { readonly durability?: infer T }
  ? Chosen<T, Durability, 'memory'>
  : 'memory'
type EvictsOf<O> = O extends { readonly evicts?: infer T } ? Chosen<T, boolean, false> : false

type LevelsOf<O> = O extends { readonly replicas: Replicas }
  ? readonly ['strong', 'replicated']
  : 'replicas' extends keyof O
    ? Levels
    : readonly ['strong']

type Levels = readonly ['strong'] | readonly ['strong', 'replicated']

type Durability = 'memory' | 'buffered' | 'flushed'

/** What an option of type `T` comes to: it may be absent, or left undefined. */
type Chosen<T, Allowed, Default extends Allowed> = [unknown] extends [T]
  ? Default
  : undefined extends T
    ? Extract<T, Allowed> | Default
    : Extract<T, Allowed>

/** The client behind the store. */
type NativeOf<O> = O extends { readonly client: infer N extends Redis | Cluster | NodeRedisClient }
  ? N
  : O extends { readonly driver: infer D }
    ? D extends 'node-redis'
      ? RedisClientType
      : IoredisOf<O>
    : 'client' | 'driver' extends keyof O
      ? Redis | Cluster | NodeRedisClient
      : IoredisOf<O>

type IoredisOf<O> = O extends { readonly cluster: readonly string[] }
  ? Cluster
  : O extends { readonly url: infer U }
    ? NativeOfUrl<U>
    : 'client' | 'cluster' | 'url' extends keyof O
      ? Redis | Cluster
      : Redis

type NativeOfUrl<U> = U extends `${string}+cluster://${string}`
  ? Cluster
  : U extends `redis://${string}` | `rediss://${string}`
    ? Redis
    : Redis | Cluster

/**
 * What a Redis store declares: by its values, and by what the operator says of the server.
 *
 * `isolation`: one server answers one command after the other, which is `linearizable`. Behind a failover (Redis
 * Cluster, Sentinel) an acknowledged write may be lost, and an old master answer for a while: `read-committed`.
 */
export interface RedisCapabilities<
  V extends 'bytes' | 'raw' = 'bytes' | 'raw',
  D extends Durability = Durability,
  E extends boolean = boolean,
  L extends Levels = Levels,
> {
  readonly scan: { readonly order: 'none'; readonly delivery: 'at-least-once'; readonly prefix: 'filtered' }
  readonly conditionalWrite: V extends 'bytes' ? true : false
  readonly conditionalRead: V extends 'bytes' ? true : false
  readonly ttl: V extends 'bytes' ? { readonly kind: 'native'; readonly precisionMs: 1 } : false
  readonly touch: V extends 'bytes' ? true : false
  readonly increment: V extends 'bytes' ? true : false
  readonly existed: V extends 'bytes' ? true : false
  readonly batch: {
    readonly atomicity: 'none'
    readonly maxItems: 1_000
    readonly maxBytes: 8_388_608
    readonly coalesce: { readonly min: 8; readonly max: 32 }
  }
  readonly maxKeyBytes: 65_487
  readonly maxValueBytes: 536_870_892
  readonly durability: D
  readonly isolation: 'linearizable' | 'read-committed'
  readonly consistency: L
  readonly evicts: E
  readonly sealed: false
  readonly documents: false
  readonly deltas: V extends 'bytes' ? true : false
  readonly sync: 'none'
}

/** The capabilities that the options declare. */
export function capabilitiesOf(
  { values, durability = 'memory', evicts = false, replicas }: RedisOptions,
  failsOver: boolean,
): Capabilities {
  const hasRecords = values !== 'raw'
  return {
    scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' },
    conditionalWrite: hasRecords,
    conditionalRead: hasRecords,
    ttl: hasRecords && { kind: 'native', precisionMs: 1 },
    touch: hasRecords,
    increment: hasRecords,
    existed: hasRecords,
    batch: { atomicity: 'none', maxItems: 1_000, maxBytes: 8_388_608, coalesce: { min: 8, max: 32 } },
    // With the longest dataset and its colon 64 Ki.
    maxKeyBytes: 65_487,
    // A string of Redis takes 512 Mi, of which the record header has 20.
    maxValueBytes: 536_870_892,
    durability,
    isolation: failsOver ? 'read-committed' : 'linearizable',
    consistency: replicas === undefined ? ['strong'] : ['strong', 'replicated'],
    evicts,
    sealed: false,
    documents: false,
    deltas: hasRecords,
    sync: 'none',
  } satisfies RedisCapabilities
}

/** Longest time that the clients' own timers and `WAIT` take. */
const longestTimerMs = 2 ** 31 - 1

const datasetForm = /^[a-z][a-z0-9_]{0,47}$/

/**
 * Refuse options that cannot be meant.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkOptions(options: RedisOptions): void {
  const {
    dataset = 'unikv',
    values = 'bytes',
    durability = 'memory',
    connectTimeoutMs = 1,
    socketTimeoutMs = 1,
  } = options
  const { driver = 'ioredis' } = options
  if (driver !== 'ioredis' && driver !== 'node-redis')
    throw invalid("driver must be 'ioredis' or 'node-redis'")
  if (driver === 'node-redis' && (options.cluster !== undefined || options.url?.includes('+cluster:')))
    throw invalid("a cluster needs driver 'ioredis'")
  if (options.driver !== undefined && options.client !== undefined)
    throw invalid('driver cannot be combined with client')
  const places = [options.url, options.cluster, options.client].filter((place) => place !== undefined)
  if (places.length > 1) throw invalid('give at most one of url, cluster and client')
  if (!datasetForm.test(dataset))
    throw invalid(
      'dataset must be a lower-case letter followed by up to 47 lower-case letters, digits and underscores',
    )
  if (values !== 'bytes' && values !== 'raw') throw invalid("values must be 'bytes' or 'raw'")
  if (!['memory', 'buffered', 'flushed'].includes(durability))
    throw invalid("durability must be 'memory', 'buffered' or 'flushed'")
  if (options.replicas !== undefined) {
    checkFactoryOptions('redis.replicas', options.replicas, {
      wait: true,
      timeoutMs: true,
    } satisfies OptionNames<Replicas>)
    const { wait, timeoutMs = 1 } = options.replicas
    checkPositive({ 'replicas.wait': wait })
    checkMs({ 'replicas.timeoutMs': timeoutMs }, { most: longestTimerMs })
  }
  checkMs({ connectTimeoutMs }, { most: longestTimerMs })
  checkMs({ socketTimeoutMs })
}

function invalid(reason: string): StoreError {
  return new StoreError('INVALID_CONFIG', `Wrong option of redis(): ${reason}.`)
}
