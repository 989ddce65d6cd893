import { guarded } from './guarded.ts'
import type { Sql, SqlDb, SqlRow, SqlTable, SqlValue } from './sql-db.ts'
import { checkSqlOptions, type SqlOptions } from './sql-options.ts'
import { creation, type Dialect, insertion, named } from './statements.ts'
import { lockBackOff, Transactions } from './transactions.ts'

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
}

/** Deadlock, and a lock that was waited for too long. */
const lostCodes = ['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_CHECKREAD']

/** An SQL database on MySQL or MariaDB, by prepared statements of mysql2. */
export function mysqlDb(pool: MysqlPool, options: SqlOptions): SqlDb {
  checkSqlOptions('mysqlDb', options)
  const { tables, prefix, retry = lockBackOff } = options
  const transactions = new Transactions(retry, (error) =>
    lostCodes.includes((error as { code?: string }).code ?? ''),
  )
  const own = sqlOver(pool, prefix)
  return {
    ...own,
    run: (work) =>
      transactions.run(async () => {
        const connection = await pool.getConnection()
        try {
          await connection.beginTransaction()
          const { sql, check } = guarded(sqlOver(connection, prefix))
          const result = await work(sql)
          check()
          await connection.commit()
          return result
        } catch (error) {
          await connection.rollback().catch(() => {})
          throw error
        } finally {
          connection.release()
        }
      }),
    statistics: () => transactions.statistics,
    async create() {
      for (const text of tables.flatMap((table) => creation(table, dialect)))
        await pool.query(worded(text, prefix))
    },
    async drop() {
      for (const { name } of tables) await pool.query(worded(`DROP TABLE IF EXISTS {${name}}`, prefix))
    },
  }
}

function sqlOver(queries: MysqlQueries, prefix: string): Sql {
  const send = async (text: string, values: readonly SqlValue[]): Promise<unknown> => {
    const [result] = await queries.execute(worded(text, prefix), values as never)
    return result
  }
  return {
    async rows<R>(text: string, values: readonly SqlValue[] = []) {
      return (await send(text, values)) as R[]
    },
    async change(text, values = []) {
      return ((await send(text, values)) as { readonly affectedRows: number }).affectedRows
    },
    async insert({ name }: SqlTable, row: SqlRow) {
      const result = await send(insertion(name, Object.keys(row)), Object.values(row))
      return (result as { readonly insertId: number }).insertId
    },
  }
}

function worded(text: string, prefix: string): string {
  return dialect.translated(named(text, prefix))
}
