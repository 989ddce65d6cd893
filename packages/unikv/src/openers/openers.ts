import { openCassandra } from './cassandra.ts'
import { openCouchdb } from './couchdb.ts'
import { openDynamodb } from './dynamodb.ts'
import { openFile } from './file.ts'
import { openHbase } from './hbase.ts'
import { openLmdb } from './lmdb.ts'
import { openMemcached } from './memcached.ts'
import { openMemory } from './memory.ts'
import { openMongodb } from './mongodb.ts'
import { openMysql } from './mysql.ts'
import type { Opener } from './opener.ts'
import { openPostgres } from './postgres.ts'
import { openRedis } from './redis.ts'
import { openS3 } from './s3.ts'
import type { Kind } from './schemes.ts'
import { openSqlite } from './sqlite.ts'
import { openSwift } from './swift.ts'

/** All openers, loaded. */
export const openers: Readonly<Record<Kind, Opener>> = {
  memory: openMemory,
  file: openFile,
  lmdb: openLmdb,
  sqlite: openSqlite,
  redis: openRedis,
  mysql: openMysql,
  postgres: openPostgres,
  cassandra: openCassandra,
  memcached: openMemcached,
  hbase: openHbase,
  couchdb: openCouchdb,
  swift: openSwift,
  mongodb: openMongodb,
  s3: openS3,
  dynamodb: openDynamodb,
}
