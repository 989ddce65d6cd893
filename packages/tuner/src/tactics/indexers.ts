import type { Indexer } from './indexer.ts'
import { cassandraIndexer } from './indexers/cassandra.ts'
import { couchdbIndexer } from './indexers/couchdb.ts'
import { mongodbIndexer } from './indexers/mongodb.ts'
import { mysqlIndexer } from './indexers/mysql.ts'
import { postgresIndexer } from './indexers/postgres.ts'
import { sqliteIndexer } from './indexers/sqlite.ts'

/** Indexers by product. MariaDB is `mysql`, whose adapter serves both. */
export const indexers: { readonly [kind: string]: Indexer | undefined } = {
  cassandra: cassandraIndexer,
  couchdb: couchdbIndexer,
  mongodb: mongodbIndexer,
  mysql: mysqlIndexer,
  postgres: postgresIndexer,
  sqlite: sqliteIndexer,
}
