export type { MysqlCapabilities, MysqlDurability } from './capabilities.ts'
export type { MariadbPool } from './client/mariadb-client.ts'
export type {
  MysqlConnection,
  MysqlPool,
  MysqlPromisePool,
  MysqlStatement,
  MysqlTls,
  Parameter as MysqlParameter,
} from './client/mysql-client.ts'
export type { MysqlNative, MysqlNativeConnection } from './client/native.ts'
export { type MysqlStore, mysql, prepareMysql, prepareMysqlGroups } from './mysql.ts'
export type { MysqlClient, MysqlDriver, MysqlOptions } from './options.ts'
