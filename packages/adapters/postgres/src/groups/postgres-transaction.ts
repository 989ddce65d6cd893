import {
  type Bytes,
  type GroupCall,
  type GroupChange,
  type GroupEntry,
  type GroupRange,
  type GroupTransaction,
  isStoreError,
  StoreError,
} from '@unikv/core'
import { checkGroupKey, compareKeys, isOutcomeUnknown } from '@unikv/core/adapter'
import type { Connections } from '../client/connections.ts'
import type { Step } from '../client/pipeline.ts'
import type { Row } from '../client/postgres-client.ts'
import { type FoundRecord, textRecord } from '../found-record.ts'
import { type CommitIdentity, fateOf } from './commit-fate.ts'
import { entriesOf, placed } from './group-rows.ts'
import type { GroupStatements } from './group-statements.ts'
import { changeSteps, listStep, readStep } from './group-steps.ts'
import { OpenSession } from './open-session.ts'

/** Most bytes of a group and a key in it together: an entry of the index has 2,704. */
export const maxGroupKeyBytes = 2_600

/** A serializable transaction of PostgreSQL on one group. */
export class PostgresTransaction implements GroupTransaction {
  readonly #connections: Connections
  readonly #statements: GroupStatements
  readonly #group: string
  readonly #call: GroupCall
  readonly #session: OpenSession

  constructor(connections: Connections, statements: GroupStatements, group: string, call: GroupCall) {
    this.#connections = connections
    this.#statements = statements
    this.#group = group
    this.#call = call
    this.#session = new OpenSession(connections, statements, call)
  }

  async get(keys: readonly string[]): Promise<readonly (Bytes | undefined)[]> {
    if (keys.length === 0) return []
    // In one order, so that transactions that lock what they read do not wait for each other in a circle.
    const sorted = [...new Set(keys)].sort(compareKeys)
    const asked = sorted.map((key) => ({ group: this.#group, key }))
    const values = placed(await this.#records(readStep(this.#statements.inside, asked)), sorted.length)
    if (keys.length === 1) return values
    const byKey = new Map(sorted.map((key, i) => [key, values[i]]))
    return keys.map((key) => byKey.get(key))
  }

  async list(range: GroupRange): Promise<readonly GroupEntry[]> {
    return entriesOf(await this.#records(listStep(this.#statements.inside, this.#group, range)))
  }

  async commit(changes: readonly GroupChange[]): Promise<boolean> {
    try {
      for (const { key } of changes) checkGroupKey(this.#group, key, maxGroupKeyBytes)
      if (changes.length > 0) await this.#commitChanges(changes)
      else await this.#session.end()
      return true
    } catch (error) {
      await this.rollback()
      if (isStoreError(error) && error.code === 'CONDITION_FAILED') return false
      throw error
    }
  }

  rollback(): Promise<void> {
    return this.#session.undo()
  }

  /** The commit alone is a write: while it is not sent, nothing can have been changed. */
  async #commitChanges(changes: readonly GroupChange[]): Promise<void> {
    const server = await this.#session.server()
    const [row] = await this.#session.ask(changeSteps(this.#statements, this.#group, changes))
    try {
      await this.#session.commit()
    } catch (error) {
      if (!isOutcomeUnknown(error)) throw error
      const named: CommitIdentity = [String((row as Row)[0]), ...server]
      if (await fateOf(this.#connections, this.#statements, named, this.#call, error)) return
      throw notCommitted(error)
    }
  }

  async #records(step: Step): Promise<readonly FoundRecord[]> {
    const rows = await this.#session.ask([step])
    return step.sql.isBinary === true
      ? (rows as readonly FoundRecord[])
      : (rows as readonly Row[]).map(textRecord)
  }
}

function notCommitted(cause: StoreError): StoreError {
  const message = 'The connection was lost before the commit; nothing was changed.'
  return new StoreError('UNAVAILABLE', message, { cause })
}
