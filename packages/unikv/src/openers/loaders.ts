import type { Opener } from './opener.ts'
import type { Kind } from './schemes.ts'

/** Loads the opener of one kind, with its adapter. Bundlers follow each `import()`, so it stands here in full. */
export const loaders: Readonly<Record<Kind, () => Promise<Opener>>> = {
  memory: async () => (await import('./memory.ts')).openMemory,
  file: async () => (await import('./file.ts')).openFile,
  lmdb: async () => (await import('./lmdb.ts')).openLmdb,
  sqlite: async () => (await import('./sqlite.ts')).openSqlite,
  redis: async () => (await import('./redis.ts')).openRedis,
  mysql: async () => (await import('./mysql.ts')).openMysql,
  postgres: async () => (await import('./postgres.ts')).openPostgres,
  cassandra: async () => (await import('./cassandra.ts')).openCassandra,
  memcached: async () => (await import('./memcached.ts')).openMemcached,
  hbase: async () => (await import('./hbase.ts')).openHbase,
  couchdb: async () => (await import('./couchdb.ts')).openCouchdb,
  swift: async () => (await import('./swift.ts')).openSwift,
  mongodb: async () => (await import('./mongodb.ts')).openMongodb,
  s3: async () => (await import('./s3.ts')).openS3,
  dynamodb: async () => (await import('./dynamodb.ts')).openDynamodb,
}
