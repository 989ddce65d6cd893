export * from '@unikv/core'
export { maskUrl } from './mask-url.ts'
export { type OpenedStore, type OpenOptions, open } from './open.ts'
export type { MysqlUrlCapabilities, RedisUrlCapabilities } from './server-capabilities.ts'
