import type { Entrants } from '../measure/entrants.ts'

/** What is compared, store by store. Loaded alone: a process has the modules of its client and no others. */
export const stores: Readonly<Record<string, () => Promise<Entrants>>> = {
  redis: async () => (await import('./redis.ts')).overRedis,
  'node-redis': async () => (await import('./redis.ts')).overNodeRedis,
  mysql: async () => (await import('./mysql.ts')).overMysql,
  postgres: async () => (await import('./postgres.ts')).overPostgres,
  memcached: async () => (await import('./memcached.ts')).overMemcached,
  mongodb: async () => (await import('./mongodb.ts')).overMongodb,
  cassandra: async () => (await import('./cassandra.ts')).overCassandra,
  hbase: async () => (await import('./hbase.ts')).overHbase,
  couchdb: async () => (await import('./couchdb.ts')).overCouchdb,
  swift: async () => (await import('./swift.ts')).overSwift,
  s3: async () => (await import('./s3.ts')).overS3,
  dynamodb: async () => (await import('./dynamodb.ts')).overDynamodb,
  lmdb: async () => (await import('./lmdb.ts')).overLmdb,
  file: async () => (await import('./file.ts')).overFiles,
  sqlite: async () => (await import('./sqlite.ts')).overSqlite,
}
