import type { Bytes, Store } from '@unikv/core'
import type { MemoryStore } from '@unikv/core/memory'
import type { CouchdbDurability, CouchdbStore } from '@unikv/couchdb'
import type { FileStore } from '@unikv/file'
import type { HbaseOptions, HbaseStore } from '@unikv/hbase'
import type { LmdbStore } from '@unikv/lmdb'
import type { MemcachedStore } from '@unikv/memcached'
import type { SwiftAuth, SwiftDurability, SwiftStore } from '@unikv/swift'
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
  readonly hbase: HbaseStore<HbaseOptions>
  readonly hbases: HbaseStore<HbaseOptions>
  readonly couchdb: CouchdbStore<CouchdbUrlOptions>
  readonly couchdbs: CouchdbStore<CouchdbUrlOptions>
  readonly swift: SwiftStore<SwiftUrlOptions>
}

interface CouchdbUrlOptions {
  readonly url: string
  readonly durability: CouchdbDurability | undefined
}

interface SwiftUrlOptions {
  readonly auth: SwiftAuth
  readonly durability: SwiftDurability | undefined
}
