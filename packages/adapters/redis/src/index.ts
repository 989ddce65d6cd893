export type { NodeRedisClient } from './node-redis-connection.ts'
export { redis } from './redis.ts'
export type { RedisCapabilities, RedisOptions, RedisStore } from './redis-options.ts'
export {
  type RedisPubSub,
  type RedisPubSubConnection,
  type RedisPubSubEvents,
  type RedisPubSubOptions,
  redisPubSub,
} from './redis-pub-sub.ts'
export type { Replicas } from './redis-replicas.ts'
export {
  type RedisTracking,
  type RedisTrackingListener,
  type RedisTrackingMember,
  type RedisTrackingOptions,
  redisTracking,
} from './redis-tracking.ts'
