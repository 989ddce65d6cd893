import { type Entrants, type OverheadLine, overheadOf } from './measure/overhead.ts'
import { printTable, writeResults } from './measure/report.ts'
import { overCassandra } from './overhead/cassandra.ts'
import { overCouchdb } from './overhead/couchdb.ts'
import { overDynamodb } from './overhead/dynamodb.ts'
import { overFiles } from './overhead/file.ts'
import { overHbase } from './overhead/hbase.ts'
import { overLmdb } from './overhead/lmdb.ts'
import { overMemcached } from './overhead/memcached.ts'
import { overMongodb } from './overhead/mongodb.ts'
import { overMysql } from './overhead/mysql.ts'
import { overPostgres } from './overhead/postgres.ts'
import { overNodeRedis, overRedis } from './overhead/redis.ts'
import { overS3 } from './overhead/s3.ts'
import { overSqlite } from './overhead/sqlite.ts'
import { overSwift } from './overhead/swift.ts'

// What does a call cost more than the like statement of the native client? One call at a time (insert, read, update
// and delete as in the data access middleware study), 64 at once, and batches of 32, on values of 1 KB. Ratios to the
// native client. `node bench/dist/overhead.js redis mysql` measures these stores only.

const stores: Readonly<Record<string, () => Promise<Entrants>>> = {
  redis: overRedis,
  'node-redis': overNodeRedis,
  mysql: overMysql,
  postgres: overPostgres,
  memcached: overMemcached,
  mongodb: overMongodb,
  cassandra: overCassandra,
  hbase: overHbase,
  couchdb: overCouchdb,
  swift: overSwift,
  s3: overS3,
  dynamodb: overDynamodb,
  lmdb: overLmdb,
  file: overFiles,
  sqlite: overSqlite,
}

const effort = {
  rounds: Number(process.env['ROUNDS'] ?? 5),
  durationMs: Number(process.env['DURATION_MS'] ?? 300),
}
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(stores, name))
if (unknown.length > 0)
  throw new Error(`no store ${unknown.join(', ')}; there are ${Object.keys(stores).join(', ')}`)

const lines: OverheadLine[] = []
for (const name of asked.length > 0 ? asked : Object.keys(stores)) {
  const entrants = await stores[name]!()
  try {
    lines.push(...(await overheadOf(name, entrants, effort)))
  } finally {
    await entrants.close()
  }
}
const columns = ['store', 'operation', 'native', 'unikv', 'ratio', 'budget', 'verdict']
printTable(
  'unikv against the native client',
  columns,
  lines.map(({ cells }) => cells),
)
await writeResults('overhead', lines)
