import type { Bytes, Store } from '@unikv/core'
import type { MemoryStore } from '@unikv/core/memory'
import type { CouchdbDurability, CouchdbStore } from '@unikv/couchdb'
import type { FileStore } from '@unikv/file'
import type { HbaseOptions, HbaseStore } from '@unikv/hbase'
import type { LmdbStore } from '@unikv/lmdb'
import type { MemcachedStore } from '@unikv/memcached'
import type { SqliteStore } from '@unikv/sqlite'
import type { SwiftAuth, SwiftDurability, SwiftStore } from '@unikv/swift'
import type { SqliteUrlOptions } from './openers/sqlite.ts'
import type {
  CassandraUrlCapabilities,
  DynamodbUrlCapabilities,
  MongodbUrlCapabilities,
  MysqlUrlCapabilities,
  PostgresUrlCapabilities,
  RedisUrlCapabilities,
  S3UrlCapabilities,
} from './server-capabilities.ts'

/** What `open` gives for the scheme of a URL. */
export interface StoresByScheme {
  readonly memory: MemoryStore
  readonly file: FileStore
  readonly lmdb: LmdbStore
  readonly sqlite: SqliteStore<SqliteUrlOptions>
  readonly redis: Store<Bytes, RedisUrlCapabilities>
  readonly rediss: Store<Bytes, RedisUrlCapabilities>
  readonly 'redis+cluster': Store<Bytes, RedisUrlCapabilities>
  readonly 'rediss+cluster': Store<Bytes, RedisUrlCapabilities>
  readonly 'redis+unix': Store<Bytes, RedisUrlCapabilities>
  readonly valkey: Store<Bytes, RedisUrlCapabilities>
  readonly valkeys: Store<Bytes, RedisUrlCapabilities>
  readonly 'valkey+cluster': Store<Bytes, RedisUrlCapabilities>
  readonly 'valkeys+cluster': Store<Bytes, RedisUrlCapabilities>
  readonly 'valkey+unix': Store<Bytes, RedisUrlCapabilities>
  readonly mysql: Store<Bytes, MysqlUrlCapabilities>
  readonly mariadb: Store<Bytes, MysqlUrlCapabilities>
  readonly postgres: Store<Bytes, PostgresUrlCapabilities>
  readonly postgresql: Store<Bytes, PostgresUrlCapabilities>
  readonly cassandra: Store<Bytes, CassandraUrlCapabilities>
  readonly memcached: MemcachedStore
  readonly mongodb: Store<Bytes, MongodbUrlCapabilities>
  readonly 'mongodb+srv': Store<Bytes, MongodbUrlCapabilities>
  readonly hbase: HbaseStore<HbaseOptions>
  readonly hbases: HbaseStore<HbaseOptions>
  readonly couchdb: CouchdbStore<CouchdbUrlOptions>
  readonly couchdbs: CouchdbStore<CouchdbUrlOptions>
  readonly swift: SwiftStore<SwiftUrlOptions>
  readonly s3: Store<Bytes, S3UrlCapabilities>
  readonly dynamodb: Store<Bytes, DynamodbUrlCapabilities>
}

interface CouchdbUrlOptions {
  readonly url: string
  readonly durability: CouchdbDurability | undefined
}

interface SwiftUrlOptions {
  readonly auth: SwiftAuth
  readonly durability: SwiftDurability | undefined
}
