export type { MariadbPool } from './mariadb-client.ts'
export { type MysqlStore, mysql, prepareMysql } from './mysql.ts'
export type { MysqlCapabilities } from './mysql-capabilities.ts'
export type {
  MysqlConnection,
  MysqlPool,
  MysqlPromisePool,
  MysqlStatement,
  MysqlTls,
  Parameter as MysqlParameter,
} from './mysql-client.ts'
export type { MysqlClient, MysqlDriver, MysqlOptions } from './mysql-options.ts'
export type { MysqlNative, MysqlNativeConnection } from './native.ts'
export type { MysqlDurability } from './table.ts'
