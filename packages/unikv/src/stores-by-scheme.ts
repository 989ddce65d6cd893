import type { Bytes, Store } from '@unikv/core'
import type { MemoryStore } from '@unikv/core/memory'
import type { FileStore } from '@unikv/file'
import type { LmdbStore } from '@unikv/lmdb'
import type { MemcachedStore } from '@unikv/memcached'
import type {
  CassandraUrlCapabilities,
  MysqlUrlCapabilities,
  RedisUrlCapabilities,
} from './server-capabilities.ts'

/** What `open` gives for the scheme of a URL. */
export interface StoresByScheme {
  readonly memory: MemoryStore
  readonly file: FileStore
  readonly lmdb: LmdbStore
  readonly redis: Store<Bytes, RedisUrlCapabilities>
  readonly rediss: Store<Bytes, RedisUrlCapabilities>
  readonly 'redis+cluster': Store<Bytes, RedisUrlCapabilities>
  readonly 'rediss+cluster': Store<Bytes, RedisUrlCapabilities>
  readonly mysql: Store<Bytes, MysqlUrlCapabilities>
  readonly mariadb: Store<Bytes, MysqlUrlCapabilities>
  readonly cassandra: Store<Bytes, CassandraUrlCapabilities>
  readonly memcached: MemcachedStore
}
