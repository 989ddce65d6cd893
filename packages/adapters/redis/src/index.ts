export type { NodeRedisClient } from './node-redis-connection.ts'
export { redis } from './redis.ts'
export type { RedisCapabilities, RedisOptions, RedisStore } from './redis-options.ts'
export type { Replicas } from './redis-replicas.ts'
