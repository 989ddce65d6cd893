import type { Bytes, GroupCall, GroupChange, GroupEntry, GroupRange } from '@unikv/core'
import { checkGroupKey, type Fate } from '@unikv/core/adapter'
import { SqlTransaction } from '@unikv/core/sql-client'
import type { Connections } from '../client/connections.ts'
import type { ServerProcess } from '../client/lent-connection.ts'
import type { Step } from '../client/pipeline.ts'
import type { Row } from '../client/postgres-client.ts'
import { type FoundRecord, textRecord } from '../found-record.ts'
import { entriesOf, placed } from './group-rows.ts'
import type { GroupStatements } from './group-statements.ts'
import { changeSteps, listStep, readStep } from './group-steps.ts'
import { OpenSession } from './open-session.ts'

/** Most bytes of a group and a key in it together: an entry of the index has 2,704. */
export const maxGroupKeyBytes = 2_600

/** A transaction as the server knows it: its number, the process that runs it, and when the server started. */
type CommitIdentity = readonly [transaction: string, ...server: ServerProcess]

/** A serializable transaction of PostgreSQL on one group. */
export class PostgresTransaction extends SqlTransaction<OpenSession, CommitIdentity> {
  readonly #connections: Connections
  readonly #statements: GroupStatements

  constructor(connections: Connections, statements: GroupStatements, group: string, call: GroupCall) {
    super(group, new OpenSession(connections, statements, call), call)
    this.#connections = connections
    this.#statements = statements
  }

  async list(range: GroupRange): Promise<readonly GroupEntry[]> {
    return entriesOf(await this.#records(listStep(this.#statements.inside, this.group, range)))
  }

  protected check(key: string): void {
    checkGroupKey(this.group, key, maxGroupKeyBytes)
  }

  protected async read(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]> {
    const asked = keys.map((key) => ({ group: this.group, key }))
    return placed(await this.#records(readStep(this.#statements.inside, asked)), keys.length)
  }

  protected async write(changes: readonly GroupChange[]): Promise<CommitIdentity> {
    const server = await this.session.server()
    const [row] = await this.session.ask(changeSteps(this.#statements, this.group, changes))
    return [String((row as Row)[0]), ...server]
  }

  /** A transaction that still goes on is ended: its connection is lost, so that its commit may never come. */
  protected async fateOf(named: CommitIdentity, call: GroupCall): Promise<Fate> {
    const [row] = await this.#connections.execute(this.#statements.fate, named, call, false)
    const [isSameServer, status] = row ?? []
    // After a crash the number may be that of another transaction.
    if (isSameServer !== 't') return 'forgotten'
    if (status === 'committed') return 'committed'
    return status === 'aborted' ? 'not committed' : 'too early'
  }

  async #records(step: Step): Promise<readonly FoundRecord[]> {
    const rows = await this.session.ask([step])
    return step.sql.isBinary === true
      ? (rows as readonly FoundRecord[])
      : (rows as readonly Row[]).map(textRecord)
  }
}
