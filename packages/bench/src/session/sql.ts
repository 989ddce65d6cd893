export { type MysqlConnection, type MysqlPool, type MysqlQueries, mysqlDb } from './sql/mysql.ts'
export {
  type PostgresConnection,
  type PostgresPool,
  type PostgresQueries,
  postgresDb,
} from './sql/postgres.ts'
export type { Sql, SqlDb, SqlRow, SqlStatistics, SqlTable, SqlValue } from './sql/sql-db.ts'
export { type SqlStore, sqlDbOf } from './sql/sql-db-of.ts'
export type { SqlOptions } from './sql/sql-options.ts'
