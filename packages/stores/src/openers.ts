// Written by `node scripts/stores.mjs` from table.ts.
// Every adapter, loaded; its driver is not.

export { openCassandra as cassandra } from '@unikv/cassandra/url'
export { openCouchdb as couchdb } from '@unikv/couchdb/url'
export { openDynamodb as dynamodb } from '@unikv/dynamodb/url'
export { openFile as file } from '@unikv/file/url'
export { openHbase as hbase } from '@unikv/hbase/url'
export { openHttp as http } from '@unikv/http/url'
export { openLmdb as lmdb } from '@unikv/lmdb/url'
export { openMemcached as memcached } from '@unikv/memcached/url'
export { openMongodb as mongodb } from '@unikv/mongodb/url'
export { openMysql as mysql } from '@unikv/mysql/url'
export { openPostgres as postgres } from '@unikv/postgres/url'
export { openRedis as redis } from '@unikv/redis/url'
export { openS3 as s3 } from '@unikv/s3/url'
export { openSqlite as sqlite } from '@unikv/sqlite/url'
export { openSwift as swift } from '@unikv/swift/url'
export { openMemory as memory } from './memory.ts'
