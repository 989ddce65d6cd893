import { Lent } from '@unikv/core/sql-client'
import type { MysqlConnection, Parameter } from './mysql-client.ts'

/** A connection of the pool for the length of a transaction. */
export class LentConnection extends Lent<MysqlConnection> {
  /** Its number in the server, if the driver tells. */
  get thread(): number | undefined {
    return this.connection.threadId ?? undefined
  }

  /** A statement without values. Errors are those of the driver. */
  run(sql: string): Promise<void> {
    const { connection } = this
    if (connection.query === undefined) return this.execute(sql, [])
    return this.asked((answered) => connection.query?.(sql, answered))
  }

  /** The rows, or the result, of a prepared statement. Errors are those of the driver. */
  execute<R>(sql: string, values: readonly Parameter[]): Promise<R> {
    return this.asked((answered) =>
      this.connection.prepare(sql, (error, statement) => {
        if (error) answered(error)
        else statement.execute(values, answered)
      }),
    )
  }
}
