export { redis } from './redis.ts'
export type { RedisCapabilities, RedisOptions, RedisStore } from './redis-options.ts'
