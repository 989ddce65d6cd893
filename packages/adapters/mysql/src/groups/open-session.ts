import type { GroupCall } from '@unikv/core'
import { Session } from '@unikv/core/sql-client'
import type { Connections } from '../client/connections.ts'
import type { LentConnection } from '../client/lent-connection.ts'
import type { GroupStatement } from './group-statements.ts'

/** The connection of a transaction. */
export class OpenSession extends Session<LentConnection> {
  readonly #connections: Connections

  constructor(connections: Connections, call: GroupCall) {
    super(connections, call)
    this.#connections = connections
  }

  /**
   * The rows, or the result, of a statement.
   *
   * @throws {StoreError} `CONDITION_FAILED` after a conflict
   */
  ask<R>({ sql, values }: GroupStatement): Promise<R> {
    return this.attempt((lent) => lent.execute<R>(sql, values))
  }

  protected say(lent: LentConnection, word: string): Promise<void> {
    return lent.run(word)
  }

  /** The level of isolation is for one transaction. The server refuses it inside of another one. */
  protected override async begin(lent: LentConnection): Promise<void> {
    await lent.run('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE')
    await lent.run('START TRANSACTION')
  }

  /** The server does not notice a cut connection while a statement waits for a lock, which is therefore ended there. */
  protected override cut(): void {
    const waits = this.lent?.isBusy === true ? this.lent.thread : undefined
    super.cut()
    if (waits !== undefined) this.#connections.kill(waits)
  }
}
