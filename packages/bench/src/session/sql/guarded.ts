import type { Sql, SqlValue } from './sql-db.ts'

/** Statements of one transaction. */
export interface GuardedSql {
  readonly sql: Sql
  /** Throws the error of the first statement that failed, if one has. */
  readonly check: () => void
}

/**
 * Statements of one transaction, which has failed with the first of them that fails: PostgreSQL answers COMMIT then by rolling
 * back, and after a deadlock MySQL runs further statements by themselves, both without an error.
 */
export function guarded(inner: Sql): GuardedSql {
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
  return {
    check,
    sql: {
      rows: <R>(text: string, values?: readonly SqlValue[]) => run(() => inner.rows<R>(text, values)),
      change: (text, values) => run(() => inner.change(text, values)),
      insert: (table, row) => run(() => inner.insert(table, row)),
    },
  }
}
