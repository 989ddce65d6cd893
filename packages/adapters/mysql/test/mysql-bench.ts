import { freshTable, type SqlBench } from '@unikv/test-kit/sql'
import { createPool, type Pool, type PoolOptions } from 'mysql2/promise'
import { afterAll, afterEach } from 'vitest'
import { type MysqlOptions, type MysqlStore, mysql, prepareMysql } from '../src/index.ts'

/** The clients that the same suites run on. */
export const drivers = ['mysql2', 'mariadb'] as const

/** What a group of tests works with on one server: stores over fresh tables, and a client behind their backs. */
export interface Bench extends SqlBench {
  /** mysql2 itself. */
  readonly sql: Pool
  table(options?: MysqlOptions): Promise<string>
  /** A store that is closed after the test. */
  store<const O extends MysqlOptions>(options: O): MysqlStore<O>
  /** A pool of mysql2 that is closed after the test. */
  pool(options?: PoolOptions): Pool
}

/** Call it inside `describe`: it cleans up after each test, and after all. */
export function mysqlBench(url: string): Bench {
  const sql = createPool({ uri: url, connectionLimit: 4 })
  const tables: string[] = []
  const opened: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close()
  })
  afterAll(async () => {
    for (const table of tables) await sql.query(`DROP TABLE IF EXISTS \`${table}\``)
    await sql.end()
  })
  const store = <const O extends MysqlOptions>(options: O): MysqlStore<O> => {
    const made = mysql(options)
    opened.push(() => made.close())
    return made
  }
  return {
    url,
    sql,
    open: mysql,
    prepare: prepareMysql,
    async table(options = {}) {
      const table = freshTable()
      tables.push(table)
      await prepareMysql({ url, ...options, table })
      return table
    },
    store,
    documents: (options) => store({ ...options, values: 'document' }),
    pool(options = {}) {
      const pool = createPool({ uri: url, ...options })
      opened.push(() => pool.end())
      return pool
    },
  }
}
