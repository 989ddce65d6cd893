import type { Capabilities } from '@unikv/core'
import type { RedisDurability, RedisSettings, Replicas } from './options.ts'

/**
 * The declarations of a Redis store. They depend on its values, and on what the operator says of the server.
 *
 * `isolation`: one server answers one command after the other, which is `linearizable`. Behind a failover (Redis
 * Cluster, Sentinel) an acknowledged write may be lost, and an old master answer for a while: `read-committed`.
 */
export interface RedisCapabilities<
  V extends 'bytes' | 'raw' = 'bytes' | 'raw',
  D extends RedisDurability = RedisDurability,
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

/** The capabilities of a store with these options. */
export type CapabilitiesOf<O> = RedisCapabilities<ValuesOf<O>, DurabilityOf<O>, EvictsOf<O>, LevelsOf<O>>

type ValuesOf<O> = O extends { readonly values?: infer T } ? Chosen<T, 'bytes' | 'raw', 'bytes'> : 'bytes'
type DurabilityOf<O> = O extends { readonly durability?: infer T }
  ? Chosen<T, RedisDurability, 'memory'>
  : 'memory'
type EvictsOf<O> = O extends { readonly evicts?: infer T } ? Chosen<T, boolean, false> : false

type LevelsOf<O> = O extends { readonly replicas: Replicas }
  ? readonly ['strong', 'replicated']
  : 'replicas' extends keyof O
    ? Levels
    : readonly ['strong']

type Levels = readonly ['strong'] | readonly ['strong', 'replicated']

/** The value of an option of type `T`: its default where the option may be absent or undefined. */
type Chosen<T, Allowed, Default extends Allowed> = [unknown] extends [T]
  ? Default
  : undefined extends T
    ? Extract<T, Allowed> | Default
    : Extract<T, Allowed>

/** The capabilities that the options declare. */
export function capabilitiesOf({
  raw,
  durability,
  evicts,
  replicas,
  failsOver,
}: RedisSettings): Capabilities {
  const hasRecords = !raw
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
