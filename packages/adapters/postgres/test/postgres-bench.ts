import { freshTable, type SqlBench } from '@unikv/test-kit/sql'
import pg, { type Pool, type PoolConfig } from 'pg'
import { afterAll, afterEach } from 'vitest'
import { type PostgresOptions, type PostgresStore, postgres, preparePostgres } from '../src/index.ts'

/** What a group of tests works with on one server: stores over fresh tables, and a client behind their backs. */
export interface Bench extends SqlBench {
  /** pg itself. */
  readonly sql: Pool
  table(options?: PostgresOptions): Promise<string>
  /** A store that is closed after the test. */
  store<const O extends PostgresOptions>(options: O): PostgresStore<O>
  /** A pool of pg that is closed after the test. */
  pool(options?: PoolConfig): Pool
}

/** Call it inside `describe`: it cleans up after each test, and after all. */
export function postgresBench(url: string): Bench {
  const sql = new pg.Pool({ connectionString: url, max: 4 })
  const tables: string[] = []
  const opened: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close()
  })
  afterAll(async () => {
    for (const table of tables) await sql.query(`DROP TABLE IF EXISTS ${table}`)
    await sql.end()
  })
  const store = <const O extends PostgresOptions>(options: O): PostgresStore<O> => {
    const made = postgres(options)
    opened.push(() => made.close())
    return made
  }
  return {
    url,
    sql,
    open: postgres,
    prepare: preparePostgres,
    async table(options = {}) {
      const table = freshTable()
      tables.push(table)
      await preparePostgres({ url, ...options, table })
      return table
    },
    store,
    documents: (options) => store({ ...options, values: 'document' }),
    pool(options = {}) {
      const pool = new pg.Pool({ connectionString: url, ...options })
      opened.push(() => pool.end())
      return pool
    },
  }
}
