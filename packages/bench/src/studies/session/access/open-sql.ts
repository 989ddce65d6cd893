import { type Bytes, type Store, StoreError } from '@unikv/core'
import { profiles, type RetryProfile } from '@unikv/entity'
import { type MysqlPool, mysqlDb } from '../../../session/sql/mysql.ts'
import { type PostgresPool, postgresDb } from '../../../session/sql/postgres.ts'
import type { SqlDb, SqlTable } from '../../../session/sql/sql-db.ts'

/** Tables, and how lost transactions are run again. */
export interface SqlJob {
  readonly tables: readonly SqlTable[]
  readonly prefix: string
  readonly retry: RetryProfile
}

/**
 * The SQL database of a store, by its native client.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a store without SQL
 */
export function openSql({ name, native }: Store<Bytes>, { tables, prefix, retry }: SqlJob): SqlDb {
  const options = { tables, prefix, retry: profiles[retry] }
  if (name === 'postgres') return postgresDb(native as PostgresPool, options)
  if (name === 'mysql') return mysqlDb(native as MysqlPool, options)
  const message = `database.access: sql needs PostgreSQL, MySQL or MariaDB, and the store is ${name}. Use access entities.`
  throw new StoreError('INVALID_CONFIG', message)
}
