import { openCassandra } from './cassandra.ts'
import { openCouchdb } from './couchdb.ts'
import { openDynamodb } from './dynamodb.ts'
import { openFile, openLmdb, openMemory } from './embedded.ts'
import { openHbase } from './hbase.ts'
import { openMemcached } from './memcached.ts'
import { openMongodb } from './mongodb.ts'
import { openMysql } from './mysql.ts'
import type { Opener } from './opener.ts'
import { openPostgres } from './postgres.ts'
import { openRedis } from './redis.ts'
import { openS3 } from './s3.ts'
import { openSqlite } from './sqlite.ts'
import { openSwift } from './swift.ts'

/** Who opens the URLs of a scheme. */
export const openers: Readonly<Record<string, Opener>> = {
  memory: openMemory,
  file: openFile,
  lmdb: openLmdb,
  sqlite: openSqlite,
  redis: openRedis,
  rediss: openRedis,
  'redis+cluster': openRedis,
  'rediss+cluster': openRedis,
  'redis+unix': openRedis,
  valkey: openRedis,
  valkeys: openRedis,
  'valkey+cluster': openRedis,
  'valkeys+cluster': openRedis,
  'valkey+unix': openRedis,
  mysql: openMysql,
  mariadb: openMysql,
  postgres: openPostgres,
  postgresql: openPostgres,
  cassandra: openCassandra,
  memcached: openMemcached,
  hbase: openHbase,
  hbases: openHbase,
  couchdb: openCouchdb,
  couchdbs: openCouchdb,
  swift: openSwift,
  mongodb: openMongodb,
  'mongodb+srv': openMongodb,
  s3: openS3,
  dynamodb: openDynamodb,
}
