export type { NodeRedisClient } from './node-redis-connection.ts'
export { redis } from './redis.ts'
export type { RedisCapabilities, RedisOptions, RedisStore, Replicas } from './redis-options.ts'
export {
  type RedisPubSub,
  type RedisPubSubConnection,
  type RedisPubSubEvents,
  type RedisPubSubOptions,
  redisPubSub,
} from './redis-pub-sub.ts'
export { type RedisTrackingOptions, redisTracking } from './redis-tracking.ts'
export type { RedisTracking, RedisTrackingListener, RedisTrackingMember } from './tracking-bus.ts'
