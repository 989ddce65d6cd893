/** Kinds of stores: each has one opener, in the file of this folder that has its name. */
export type Kind =
  | 'memory'
  | 'file'
  | 'lmdb'
  | 'sqlite'
  | 'redis'
  | 'mysql'
  | 'postgres'
  | 'cassandra'
  | 'memcached'
  | 'hbase'
  | 'couchdb'
  | 'swift'
  | 'mongodb'
  | 's3'
  | 'dynamodb'

/** The kind of store that the URLs of a scheme open. */
export const schemes: Readonly<Record<string, Kind>> = {
  memory: 'memory',
  file: 'file',
  lmdb: 'lmdb',
  sqlite: 'sqlite',
  redis: 'redis',
  rediss: 'redis',
  'redis+cluster': 'redis',
  'rediss+cluster': 'redis',
  'redis+unix': 'redis',
  valkey: 'redis',
  valkeys: 'redis',
  'valkey+cluster': 'redis',
  'valkeys+cluster': 'redis',
  'valkey+unix': 'redis',
  mysql: 'mysql',
  mariadb: 'mysql',
  postgres: 'postgres',
  postgresql: 'postgres',
  cassandra: 'cassandra',
  memcached: 'memcached',
  hbase: 'hbase',
  hbases: 'hbase',
  couchdb: 'couchdb',
  couchdbs: 'couchdb',
  swift: 'swift',
  mongodb: 'mongodb',
  'mongodb+srv': 'mongodb',
  s3: 's3',
  dynamodb: 'dynamodb',
}
