export type { RedisCapabilities } from './capabilities.ts'
export type { NodeRedisClient } from './client/node-redis-connection.ts'
export {
  type RedisPubSub,
  type RedisPubSubConnection,
  type RedisPubSubEvents,
  type RedisPubSubOptions,
  redisPubSub,
} from './client/redis-pub-sub.ts'
export type { RedisOptions, Replicas } from './options.ts'
export { type RedisStore, redis } from './redis.ts'
export { type RedisTrackingOptions, redisTracking } from './tracking/redis-tracking.ts'
export type { RedisTracking, RedisTrackingListener, RedisTrackingMember } from './tracking/tracking-bus.ts'
