export type { NodeRedisClient } from './client/node-redis-connection.ts'
export {
  type RedisPubSub,
  type RedisPubSubConnection,
  type RedisPubSubEvents,
  type RedisPubSubOptions,
  redisPubSub,
} from './client/redis-pub-sub.ts'
export type { RedisCapabilities, RedisOptions, RedisStore, Replicas } from './options.ts'
export { redis } from './redis.ts'
export { type RedisTrackingOptions, redisTracking } from './tracking/redis-tracking.ts'
export type { RedisTracking, RedisTrackingListener, RedisTrackingMember } from './tracking/tracking-bus.ts'
