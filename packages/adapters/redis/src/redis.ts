import type { Bytes, Store } from '@unikv/core'
import type { Cluster, Redis } from 'ioredis'
/** @ts-ignore Users of ioredis may not have node-redis: the type of its client is then unknown. */
import type { RedisClientType } from 'redis'
import type { CapabilitiesOf } from './capabilities.ts'
import { openStore } from './open.ts'
import { type HandedIn, type RedisOptions, settingsOf } from './options.ts'

/** The Redis store that these options make. */
export type RedisStore<O = {}> = Store<Bytes, CapabilitiesOf<O>, NativeOf<O>>

/** The client behind the store. */
type NativeOf<O> = O extends { readonly client: infer N extends HandedIn }
  ? N
  : O extends { readonly driver: infer D }
    ? D extends 'node-redis'
      ? RedisClientType
      : IoredisOf<O>
    : 'client' | 'driver' extends keyof O
      ? HandedIn
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
 * Records in Redis, Valkey or a Redis Cluster, by ioredis or node-redis, which is loaded and connected by the first
 * call.
 *
 * A record is a string at `dataset:key`: header, then body. Batches take one round trip (a cluster: one a node),
 * conditions are checked by scripts on the server, records expire by the server's clock.
 *
 * @throws {StoreError} `INVALID_CONFIG` for wrong options, or a client that may send a command twice
 */
export function redis<const O extends RedisOptions = {}>(options?: O): RedisStore<O> {
  return openStore(settingsOf(options)) as unknown as RedisStore<O> // the options say which it is
}
