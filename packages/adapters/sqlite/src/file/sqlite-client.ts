import { requirePackage } from '@unikv/core/adapter'

/** The parts of the package `libsql` that are used here: the package type-checks without it, and loads it on first use. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement
  exec(sql: string): void
  /** The file stays open until the statements are collected too. */
  close(): void
  readonly inTransaction: boolean
}

/** A prepared statement of `libsql`. */
export interface SqliteStatement {
  /** Have rows as arrays. */
  raw(): SqliteStatement
  run(parameters: readonly SqliteValue[]): unknown
  get(parameters: readonly SqliteValue[]): unknown
  all(parameters: readonly SqliteValue[]): readonly unknown[]
}

/** The value of a column. */
export type SqliteValue = Uint8Array | string | number | null

type Libsql = new (path: string, options: { readonly timeout: number }) => SqliteDatabase

/**
 * Open a file by `libsql`.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it cannot be loaded; what `libsql` throws
 */
export function openDatabase(path: string, busyTimeoutMs: number): SqliteDatabase {
  // Not by `import`: a store that answers at once cannot wait for it.
  const Database = requirePackage<Libsql>('libsql', import.meta.url)
  return new Database(path, { timeout: busyTimeoutMs })
}
