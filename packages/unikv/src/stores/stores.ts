import { cassandraFacts } from './cassandra.ts'
import { couchdbFacts } from './couchdb.ts'
import { dynamodbFacts } from './dynamodb.ts'
import { fileFacts, lmdbFacts, memoryFacts } from './embedded.ts'
import { hbaseFacts } from './hbase.ts'
import { memcachedFacts } from './memcached.ts'
import { mongodbFacts } from './mongodb.ts'
import { mysqlFacts } from './mysql.ts'
import { postgresFacts } from './postgres.ts'
import { redisFacts } from './redis.ts'
import { s3Facts } from './s3.ts'
import { sqliteFacts } from './sqlite.ts'
import type { StoreFacts } from './store-facts.ts'
import { swiftFacts } from './swift.ts'

/** What unikv knows of every store that it opens. */
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
]

/** Stores that people ask for and that have no adapter, with the reason. */
export const outOfScope: Readonly<Record<string, string>> = {
  Riak: 'out of scope for now: no maintained client for Node.js',
  Elasticsearch: 'out of scope for now: a search engine, whose writes are not read back at once',
}
