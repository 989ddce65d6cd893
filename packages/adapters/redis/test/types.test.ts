import { type Capabilities, type KeyValue, keyValue } from '@unikv/core'
import type { Cluster, Redis } from 'ioredis'
import type { RedisClientType } from 'redis'
import { expectTypeOf, test } from 'vitest'
import { type RedisOptions, redis } from '../src/index.ts'

test('the native client is typed by what the options say', () => {
  expectTypeOf(redis).returns.toHaveProperty('native')
  const make = (options: { url: string; client: Redis; cluster: Cluster; other: RedisClientType }) => ({
    nothing: () => redis().native,
    single: () => redis({ url: 'redis://h' }).native,
    secure: () => redis({ url: 'rediss://h', dataset: 'users' }).native,
    oneUrl: () => redis({ url: 'redis+cluster://a,b' }).native,
    nodes: () => redis({ cluster: ['redis://a'] }).native,
    client: () => redis({ client: options.client }).native,
    clusterClient: () => redis({ client: options.cluster }).native,
    nodeRedis: () => redis({ url: 'redis://h', driver: 'node-redis' }).native,
    ioredis: () => redis({ url: 'redis://h', driver: 'ioredis' }).native,
    nodeRedisClient: () => redis({ client: options.other }).native,
    unknown: () => redis({ url: options.url }).native,
    through: () => keyValue(redis({ url: 'redis://h' })).native,
  })
  type Made = { [K in keyof ReturnType<typeof make>]: ReturnType<ReturnType<typeof make>[K]> }
  expectTypeOf<Made['nothing']>().toEqualTypeOf<Redis>()
  expectTypeOf<Made['single']>().toEqualTypeOf<Redis>()
  expectTypeOf<Made['secure']>().toEqualTypeOf<Redis>()
  expectTypeOf<Made['oneUrl']>().toEqualTypeOf<Cluster>()
  expectTypeOf<Made['nodes']>().toEqualTypeOf<Cluster>()
  expectTypeOf<Made['client']>().toEqualTypeOf<Redis>()
  expectTypeOf<Made['clusterClient']>().toEqualTypeOf<Cluster>()
  expectTypeOf<Made['nodeRedis']>().toEqualTypeOf<RedisClientType>()
  expectTypeOf<Made['ioredis']>().toEqualTypeOf<Redis>()
  expectTypeOf<Made['nodeRedisClient']>().toEqualTypeOf<RedisClientType>()
  expectTypeOf<Made['unknown']>().toEqualTypeOf<Redis | Cluster>()
  expectTypeOf<Made['through']>().toEqualTypeOf<Redis>()
})

test('capabilities are literal, and follow the options', () => {
  const make = (options: RedisOptions) => ({
    plain: () => redis().capabilities,
    raw: () => redis({ values: 'raw' }).capabilities,
    told: () => redis({ durability: 'flushed', evicts: true }).capabilities,
    open: () => redis(options).capabilities,
  })
  type Made = { [K in keyof ReturnType<typeof make>]: ReturnType<ReturnType<typeof make>[K]> }
  expectTypeOf<Made['plain']['conditionalWrite']>().toEqualTypeOf<true>()
  expectTypeOf<Made['plain']['durability']>().toEqualTypeOf<'memory'>()
  expectTypeOf<Made['plain']['evicts']>().toEqualTypeOf<false>()
  expectTypeOf<Made['raw']['increment']>().toEqualTypeOf<false>()
  expectTypeOf<Made['raw']['ttl']>().toEqualTypeOf<false>()
  expectTypeOf<Made['told']['durability']>().toEqualTypeOf<'flushed'>()
  expectTypeOf<Made['told']['evicts']>().toEqualTypeOf<true>()
  expectTypeOf<Made['open']['evicts']>().toEqualTypeOf<boolean>()
  expectTypeOf<Made['open']['touch']>().toEqualTypeOf<boolean>()
  expectTypeOf<Made['open']>().toExtend<Capabilities>()
})

test('a KeyValue offers what a store declares, and no more', () => {
  const make = () => ({ records: keyValue(redis()), raw: keyValue(redis({ values: 'raw' })) })
  type Made = ReturnType<typeof make>
  expectTypeOf<Made['records']>().toHaveProperty('increment')
  expectTypeOf<Made['records']>().toHaveProperty('touch')
  expectTypeOf<Made['raw']>().not.toHaveProperty('increment')
  expectTypeOf<Made['raw']>().not.toHaveProperty('touch')
  expectTypeOf<Made['records']>().toExtend<KeyValue<string, Uint8Array>>()
})
