import { type Store, StoreError } from '@unikv/core'
import { type MysqlPool, mysqlDb } from './mysql.ts'
import { type PostgresPool, postgresDb } from './postgres.ts'
import type { SqlDb, SqlOptions } from './sql-db.ts'

/**
 * An SQL database by the native client of a KeyValue on PostgreSQL, MySQL or MariaDB. Its tables are apart from the records.
 *
 * @throws {StoreError} `UNSUPPORTED` for another store
 */
export function sqlDbOf(
  { name, native }: Pick<Store<unknown>, 'name' | 'native'>,
  options: SqlOptions,
): SqlDb {
  if (name === 'postgres') return postgresDb(native as PostgresPool, options)
  if (name === 'mysql') return mysqlDb(native as MysqlPool, options)
  throw new StoreError(
    'UNSUPPORTED',
    `There is no access by SQL to ${name}; there is one to postgres and mysql.`,
  )
}
