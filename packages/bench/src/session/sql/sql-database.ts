import { exponential } from '@unikv/entity'
import {
  checkSqlOptions,
  type Sql,
  type SqlDb,
  type SqlOptions,
  type SqlTable,
  type SqlValue,
} from './sql-db.ts'
import { Transactions } from './transactions.ts'

/** The differences between databases. */
export interface Dialect {
  readonly types: Readonly<Record<'integer' | 'text' | 'time', string>>
  /** Type and rule of a column that the database numbers. */
  readonly generated: string
  /** An index beside the columns, without which a column is not numbered; empty if none is needed. */
  numbering(column: string): string
  /** Text behind a table, with a column that is numbered. */
  readonly options: { readonly plain: string; readonly numbered: string }
  /** A statement in the database's own words. */
  translated(text: string): string
  /** Codes of errors by which transactions lose against others. */
  readonly lost: readonly string[]
}

/** A connection for one transaction. */
interface SqlConnection {
  readonly sql: Sql
  begin(): Promise<unknown>
  commit(): Promise<unknown>
  rollback(): Promise<unknown>
  /** Give the connection back to its pool. */
  release(): void
}

/** Connections of a database. */
export interface SqlPool {
  readonly sql: Sql
  /** Run a statement without values, which is not prepared. */
  command(text: string): Promise<unknown>
  connect(): Promise<SqlConnection>
}

/** Losers of locks wait, as those who try again at once meet the same ones. */
const lockBackOff = exponential({ atOnce: 0, firstMs: 10 })

/**
 * An SQL database in a dialect.
 *
 * @param whose the function that has the options
 * @param open opens its pool, given what makes a statement one of the database, with the real names of tables
 */
export function sqlDatabase(
  whose: string,
  options: SqlOptions,
  dialect: Dialect,
  open: (worded: (text: string) => string) => SqlPool,
): SqlDb {
  checkSqlOptions(whose, options)
  const { tables, prefix, retry = lockBackOff } = options
  const worded = (text: string): string => dialect.translated(named(text, prefix))
  const pool = open(worded)
  const transactions = new Transactions(retry, (error) =>
    dialect.lost.includes((error as { code?: string }).code ?? ''),
  )
  return {
    ...pool.sql,
    run: (work) => transactions.run(async () => transaction(await pool.connect(), work)),
    statistics: () => transactions.statistics,
    async create() {
      for (const text of tables.flatMap((table) => creation(table, dialect))) await pool.command(worded(text))
    },
    async drop() {
      for (const { name } of tables) await pool.command(worded(`DROP TABLE IF EXISTS {${name}}`))
    },
  }
}

async function transaction<R>(connection: SqlConnection, work: (sql: Sql) => Promise<R>): Promise<R> {
  try {
    await connection.begin()
    const { sql, check } = guarded(connection.sql)
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
}

/**
 * Statements of one transaction, which has failed with the first of them that fails: PostgreSQL answers COMMIT then by rolling
 * back, and after a deadlock MySQL runs further statements by themselves, both without an error. `check` throws that error.
 */
function guarded(inner: Sql): { readonly sql: Sql; readonly check: () => void } {
  let failure: { readonly error: unknown } | undefined
  const check = (): void => {
    if (failure !== undefined) throw failure.error
  }
  const run = async <R>(send: () => Promise<R>): Promise<R> => {
    check()
    try {
      return await send()
    } catch (error) {
      failure ??= { error }
      throw error
    }
  }
  const sql: Sql = {
    rows: <R>(text: string, values?: readonly SqlValue[]) => run(() => inner.rows<R>(text, values)),
    change: (text, values) => run(() => inner.change(text, values)),
    insert: (table, row) => run(() => inner.insert(table, row)),
  }
  return { sql, check }
}

/** Statements that make a table and its indexes. */
function creation(table: SqlTable, dialect: Dialect): readonly string[] {
  const { name, columns, key, generated, indexes = [] } = table
  const lines = Object.entries(columns).map(([column, type]) =>
    column === generated ? `"${column}" ${dialect.generated}` : `"${column}" ${dialect.types[type]} NOT NULL`,
  )
  const numbering = generated === undefined ? '' : dialect.numbering(generated)
  const options = generated === undefined ? dialect.options.plain : dialect.options.numbered
  return [
    `CREATE TABLE {${name}} (${[...lines, `PRIMARY KEY ${listed(key)}`].join(', ')}${numbering})${options}`,
    ...indexes.map((index, at) => `CREATE INDEX {${name}_${at}} ON {${name}} ${listed(index)}`),
  ]
}

/** The statement that inserts rows with these columns. */
export function insertion(name: string, columns: readonly string[]): string {
  return `INSERT INTO {${name}} ${listed(columns)} VALUES (${columns.map(() => '?').join(', ')})`
}

/** A statement with the real names of tables. */
function named(text: string, prefix: string): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => `"${prefix}_${name.toLowerCase()}"`)
}

function listed(columns: readonly string[]): string {
  return `(${columns.map((column) => `"${column}"`).join(', ')})`
}
