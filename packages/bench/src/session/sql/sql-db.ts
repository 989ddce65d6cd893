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
  /** Counts since the database was opened, by the names of those of entities. */
  statistics(): SqlStatistics
  /** Make the tables. */
  create(): Promise<void>
  /** Remove the tables. */
  drop(): Promise<void>
}

/** Counts of transactions. */
export interface SqlStatistics {
  readonly committed: number
  /** Attempts that lost: by deadlock, or as they could not be put in an order. */
  readonly conflicts: number
  readonly retries: number
  /** Transactions that lost their last attempt. */
  readonly givenUp: number
  /** Waiting before attempts, in milliseconds. */
  readonly waitedMs: number
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
