import type { KnownStore } from './known-store.ts'
import { elasticsearch } from './others/elasticsearch.ts'
import { janusgraph } from './others/janusgraph.ts'
import { neo4j } from './others/neo4j.ts'
import { orientdb } from './others/orientdb.ts'
import { riak } from './others/riak.ts'
import { solr } from './others/solr.ts'
import { cassandra } from './stores/cassandra.ts'
import { couchdb } from './stores/couchdb.ts'
import { dynamodb } from './stores/dynamodb.ts'
import { file } from './stores/file.ts'
import { hbase } from './stores/hbase.ts'
import { lmdb } from './stores/lmdb.ts'
import { memcached } from './stores/memcached.ts'
import { memory } from './stores/memory.ts'
import { mongodb } from './stores/mongodb.ts'
import { mysql } from './stores/mysql.ts'
import { postgres } from './stores/postgres.ts'
import { redis } from './stores/redis.ts'
import { s3 } from './stores/s3.ts'
import { sqlite } from './stores/sqlite.ts'
import { swift } from './stores/swift.ts'

/** The facts about each store that unikv opens, and about others that are asked for. */
export const knownStores: readonly KnownStore[] = [
  memory,
  file,
  lmdb,
  sqlite,
  redis,
  memcached,
  mysql,
  postgres,
  mongodb,
  couchdb,
  cassandra,
  hbase,
  dynamodb,
  s3,
  swift,
  riak,
  elasticsearch,
  solr,
  neo4j,
  janusgraph,
  orientdb,
]
