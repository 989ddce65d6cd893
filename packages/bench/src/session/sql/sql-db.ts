import { checkFactoryOptions, invalidConfig, type OptionNames } from '@unikv/core/adapter'
import type { EntityStatistics, RetryPolicy } from '@unikv/entity'

/** A value of a column. */
export type SqlValue = number | string | null

/** A row to insert, by column. */
export type SqlRow = Readonly<Record<string, SqlValue>>

/**
 * Statements with `?` for each value and identifiers in double quotes, as `SELECT "name" FROM {Item} WHERE "userId" = ?`. `{Item}` is the
 * name of a table.
 */
export interface Sql {
  /** The rows that a statement finds. */
  rows<R>(text: string, values?: readonly SqlValue[]): Promise<readonly R[]>
  /** Change rows. Resolves to how many. */
  change(text: string, values?: readonly SqlValue[]): Promise<number>
  /** Insert a row. Resolves to the number that the database gave its generated column; 0 without one. */
  insert(table: SqlTable, row: SqlRow): Promise<number>
}

/** An SQL database with some tables. */
export interface SqlDb extends Sql {
  /** Run a transaction, again if it lost against another one. An error of the function, or of one of its statements, rolls it back. */
  run<R>(work: (sql: Sql) => Promise<R>): Promise<R>
  /** Counts since the database was opened; a conflict is an attempt that lost: by deadlock, or as it could not be put in an order. */
  statistics(): EntityStatistics
  /** Make the tables. */
  create(): Promise<void>
  /** Remove the tables. */
  drop(): Promise<void>
}

/** A table of both databases. */
export interface SqlTable {
  readonly name: string
  /** `time`: milliseconds since 1970. */
  readonly columns: Readonly<Record<string, 'integer' | 'text' | 'time'>>
  readonly key: readonly string[]
  /** A column of the key that the database numbers, from 1,000,001 on: lower numbers are free for rows that bring their own. */
  readonly generated?: string | undefined
  readonly indexes?: readonly (readonly string[])[] | undefined
}

/** Where tables are, and how lost transactions are run again. */
export interface SqlOptions {
  readonly tables: readonly SqlTable[]
  /** Begins the names of tables: letters, digits and `_`. */
  readonly prefix: string
  /** @default `exponential({ atOnce: 0, firstMs: 10 })`: losers of locks wait */
  readonly retry?: RetryPolicy | undefined
}

const names: OptionNames<SqlOptions> = { tables: true, prefix: true, retry: true }

/** Names of tables and their indexes must not be longer, as databases cut or refuse them. */
const longestPrefix = 40

/**
 * Refuse options that would make wrong names.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkSqlOptions(whose: string, options: SqlOptions): void {
  checkFactoryOptions(whose, options, names)
  const { prefix } = options
  if (typeof prefix === 'string' && /^\w+$/.test(prefix) && prefix.length <= longestPrefix) return
  throw invalidConfig(
    `\`prefix\` of ${whose}() must be 1 to ${longestPrefix} letters, digits and _, got ${JSON.stringify(prefix)}.`,
  )
}
