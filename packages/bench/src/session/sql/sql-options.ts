import { StoreError } from '@unikv/core'
import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
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
  if (
    typeof options.prefix === 'string' &&
    /^\w+$/.test(options.prefix) &&
    options.prefix.length <= longestPrefix
  )
    return
  throw new StoreError(
    'INVALID_CONFIG',
    `\`prefix\` of ${whose}() must be 1 to ${longestPrefix} letters, digits and _, got ${JSON.stringify(options.prefix)}.`,
  )
}
