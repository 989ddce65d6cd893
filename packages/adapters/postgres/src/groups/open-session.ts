import type { GroupCall } from '@unikv/core'
import { Session } from '@unikv/core/sql-client'
import type { Connections } from '../client/connections.ts'
import type { Answer } from '../client/execution.ts'
import type { LentConnection, ServerProcess } from '../client/lent-connection.ts'
import type { Step } from '../client/pipeline.ts'
import type { Row } from '../client/postgres-client.ts'
import type { GroupStatements } from './group-statements.ts'

/** The connection of a transaction. */
export class OpenSession extends Session<LentConnection> {
  readonly #statements: GroupStatements
  #isBegun = false

  constructor(connections: Connections, statements: GroupStatements, call: GroupCall) {
    super(connections, call)
    this.#statements = statements
  }

  /**
   * The rows of the last of these statements.
   *
   * @throws {StoreError} `CONDITION_FAILED` after a conflict
   */
  ask(steps: readonly Step[]): Promise<readonly Answer[]> {
    return this.attempt((lent) => lent.ask(this.#begun(steps)))
  }

  /**
   * The process that serves the connection, and when the server started: asked once for each connection.
   *
   * @throws {StoreError} as `ask`
   */
  async server(): Promise<ServerProcess> {
    const known = this.lent?.server
    if (known !== undefined) return known
    const [row] = await this.ask([this.#step('server')])
    const [process, startedAt] = row as Row
    const server = [String(process), String(startedAt)] as const
    this.lent?.knowServer(server)
    return server
  }

  protected say(lent: LentConnection, word: 'COMMIT' | 'ROLLBACK'): Promise<unknown> {
    return lent.ask([this.#step(word === 'COMMIT' ? 'commit' : 'rollback')])
  }

  /** The first statement takes the beginning along. */
  #begun(steps: readonly Step[]): readonly Step[] {
    if (this.#isBegun) return steps
    this.#isBegun = true
    return [this.#step('begin'), this.#step('byIndex'), ...steps]
  }

  #step(name: 'begin' | 'byIndex' | 'server' | 'commit' | 'rollback'): Step {
    return { sql: this.#statements[name], values: [] }
  }
}
