import type { Capabilities, DeclaredBy } from '@unikv/core'
import type { Chosen } from '@unikv/core/adapter'

/** The failures that acknowledged writes may survive. */
export type RedisDurability = 'memory' | 'buffered' | 'flushed'

const always = {
  scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' },
  batch: { atomicity: 'none', maxItems: 1_000, maxBytes: 8_388_608, coalesce: { min: 8, max: 32 } },
  // With the longest dataset and its colon 64 Ki.
  maxKeyBytes: 65_487,
  // A string of Redis takes 512 Mi, of which the record header has 20.
  maxValueBytes: 536_870_892,
  sealed: false,
  documents: false,
  sync: 'none',
} as const satisfies Partial<Capabilities>

/** Operations on records with version and expiry, which a foreign string lacks. */
const ofRecords = {
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'native', precisionMs: 1 },
  touch: true,
  increment: true,
  existed: true,
  deltas: true,
} as const satisfies Partial<Capabilities>

const ofStrings = Object.fromEntries(
  Object.keys(ofRecords).map((name) => [name, false]),
) as unknown as typeof ofRecords

type RecordsOf<V> = {
  readonly [K in keyof typeof ofRecords]: V extends 'bytes' ? (typeof ofRecords)[K] : false
}

/** The declarations of a Redis store. They depend on its values, and on what the operator says of the server. */
export interface RedisCapabilities<
  V extends 'bytes' | 'raw' = 'bytes' | 'raw',
  D extends RedisDurability = RedisDurability,
  E extends boolean = boolean,
  L extends Levels = Levels,
> extends Omit<DeclaredBy<typeof always>, keyof typeof ofRecords>,
    RecordsOf<V> {
  readonly durability: D
  /**
   * One server answers one command after the other, which is `linearizable`. Behind a failover (Redis Cluster, Sentinel) an
   * acknowledged write may be lost, and an old master answer for a while: `read-committed`.
   */
  readonly isolation: 'linearizable' | 'read-committed'
  readonly consistency: L
  readonly evicts: E
}

/** The capabilities of a store with these options. */
export type CapabilitiesOf<O> = RedisCapabilities<
  Chosen<O, 'values', 'bytes' | 'raw', 'bytes'>,
  Chosen<O, 'durability', RedisDurability, 'memory'>,
  Chosen<O, 'evicts', boolean, false>,
  LevelsOf<O>
>

type LevelsOf<O> = O extends { readonly replicas: object }
  ? readonly ['strong', 'replicated']
  : 'replicas' extends keyof O
    ? Levels
    : readonly ['strong']

type Levels = readonly ['strong'] | readonly ['strong', 'replicated']

/** The settings that decide. */
interface Deciding {
  readonly raw: boolean
  readonly durability: RedisDurability
  readonly evicts: boolean
  readonly replicas: object | undefined
  readonly failsOver: boolean
}

/** The capabilities that the options declare. */
export function capabilitiesOf({ raw, durability, evicts, replicas, failsOver }: Deciding): Capabilities {
  return {
    ...always,
    ...(raw ? ofStrings : ofRecords),
    durability,
    isolation: failsOver ? 'read-committed' : 'linearizable',
    consistency: replicas === undefined ? ['strong'] : ['strong', 'replicated'],
    evicts,
  }
}
