// Written by `node scripts/stores.mjs` from table.ts.

import { cassandraFacts } from '@unikv/cassandra/facts'
import type { StoreFacts } from '@unikv/core/adapter'
import { couchdbFacts } from '@unikv/couchdb/facts'
import { dynamodbFacts } from '@unikv/dynamodb/facts'
import { fileFacts } from '@unikv/file/facts'
import { hbaseFacts } from '@unikv/hbase/facts'
import { httpFacts } from '@unikv/http/facts'
import { lmdbFacts } from '@unikv/lmdb/facts'
import { memcachedFacts } from '@unikv/memcached/facts'
import { mongodbFacts } from '@unikv/mongodb/facts'
import { mysqlFacts } from '@unikv/mysql/facts'
import { postgresFacts } from '@unikv/postgres/facts'
import { redisFacts } from '@unikv/redis/facts'
import { s3Facts } from '@unikv/s3/facts'
import { sqliteFacts } from '@unikv/sqlite/facts'
import { swiftFacts } from '@unikv/swift/facts'
import { memoryFacts } from './memory.ts'

/** Facts about every store that unikv opens. */
export const stores: readonly StoreFacts[] = [
  memoryFacts,
  fileFacts,
  lmdbFacts,
  sqliteFacts,
  redisFacts,
  memcachedFacts,
  mysqlFacts,
  postgresFacts,
  mongodbFacts,
  couchdbFacts,
  cassandraFacts,
  hbaseFacts,
  dynamodbFacts,
  s3Facts,
  swiftFacts,
  httpFacts,
]
