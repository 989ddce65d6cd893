import { type Dialect, insertion, sqlDatabase } from './sql-database.ts'
import type { Sql, SqlDb, SqlOptions, SqlRow, SqlTable, SqlValue } from './sql-db.ts'

/** The methods of a pool of mysql2 in use, with promises: the native client of `@unikv/mysql` has them. */
export interface MysqlPool extends MysqlQueries {
  /** A connection of one's own. Release it. */
  getConnection(): Promise<MysqlConnection>
}

/** Statements of mysql2. */
export interface MysqlQueries {
  /** Run a prepared statement. */
  execute(sql: string, values?: never): Promise<readonly [unknown, unknown]>
  /** Run a statement as text. */
  query(sql: string): Promise<readonly [unknown, unknown]>
}

/** A connection of mysql2. */
export interface MysqlConnection extends MysqlQueries {
  /** Start a transaction. */
  beginTransaction(): Promise<void>
  /** Make it last. */
  commit(): Promise<void>
  /** Undo it. */
  rollback(): Promise<void>
  /** Give the connection back to its pool. */
  release(): void
}

const dialect: Dialect = {
  types: { integer: 'INT', text: 'MEDIUMTEXT', time: 'DOUBLE' },
  generated: 'INT NOT NULL AUTO_INCREMENT',
  // A column is numbered only if an index begins with it.
  numbering: (column) => `, KEY ("${column}")`,
  options: { plain: ' ENGINE = InnoDB', numbered: ' ENGINE = InnoDB AUTO_INCREMENT = 1000001' },
  translated: (text) => text.replaceAll('"', '`'),
  // Deadlock, and a lock that was waited for too long.
  lost: ['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD'],
}

/** An SQL database on MySQL or MariaDB, by prepared statements of mysql2. */
export function mysqlDb(pool: MysqlPool, options: SqlOptions): SqlDb {
  return sqlDatabase('mysqlDb', options, dialect, (worded) => ({
    sql: sqlOver(pool, worded),
    command: (text) => pool.query(text),
    async connect() {
      const connection = await pool.getConnection()
      return {
        sql: sqlOver(connection, worded),
        begin: () => connection.beginTransaction(),
        commit: () => connection.commit(),
        rollback: () => connection.rollback(),
        release: () => connection.release(),
      }
    },
  }))
}

function sqlOver(queries: MysqlQueries, worded: (text: string) => string): Sql {
  const send = async <R>(text: string, values: readonly SqlValue[]): Promise<R> => {
    const [result] = await queries.execute(worded(text), values as never)
    return result as R
  }
  return {
    rows: <R>(text: string, values: readonly SqlValue[] = []) => send<R[]>(text, values),
    async change(text, values = []) {
      return (await send<{ readonly affectedRows: number }>(text, values)).affectedRows
    },
    async insert({ name }: SqlTable, row: SqlRow) {
      const text = insertion(name, Object.keys(row))
      return (await send<{ readonly insertId: number }>(text, Object.values(row))).insertId
    },
  }
}
