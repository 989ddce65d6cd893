import type { RetryPolicy } from '@unikv/entity'
import type { SqlTable } from './sql-db.ts'

/** Where tables are, and how lost transactions are run again. */
export interface SqlOptions {
  readonly tables: readonly SqlTable[]
  /** Begins the names of tables: letters, digits and `_`. */
  readonly prefix: string
  /** @default `exponential({ atOnce: 0, firstMs: 10 })`: losers of locks wait */
  readonly retry?: RetryPolicy | undefined
}
