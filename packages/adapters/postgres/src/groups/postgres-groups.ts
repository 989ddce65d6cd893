import type {
  Bytes,
  GroupCall,
  GroupEntry,
  GroupKey,
  GroupRange,
  Groups,
  GroupTransaction,
} from '@unikv/core'
import { checkGroupKey, groupBounds } from '@unikv/core/adapter'
import { namePages } from '@unikv/core/sql-client'
import type { Connections } from '../client/connections.ts'
import { entriesOf, keyOf, placed } from './group-rows.ts'
import type { GroupStatements } from './group-statements.ts'
import { listStep, readStep } from './group-steps.ts'
import { maxGroupKeyBytes, PostgresTransaction } from './postgres-transaction.ts'

/** Groups in a table of their own, by serializable transactions of PostgreSQL. */
export class PostgresGroups implements Groups {
  readonly control: Groups['control']
  readonly maxGroupBytes: number = Number.POSITIVE_INFINITY
  readonly #connections: Connections
  readonly #statements: GroupStatements

  constructor(connections: Connections, statements: GroupStatements, control: Groups['control']) {
    this.control = control
    this.#connections = connections
    this.#statements = statements
  }

  begin(group: string, call: GroupCall): GroupTransaction {
    checkGroupKey(group, undefined, maxGroupKeyBytes)
    return new PostgresTransaction(this.#connections, this.#statements, group, call)
  }

  async read(keys: readonly GroupKey[], call: GroupCall): Promise<readonly (Bytes | undefined)[]> {
    if (keys.length === 0) return []
    const { sql, values } = readStep(this.#statements.outside, keys)
    return placed(await this.#connections.records(sql, values, call), keys.length)
  }

  async list(group: string, range: GroupRange, call: GroupCall): Promise<readonly GroupEntry[]> {
    const { sql, values } = listStep(this.#statements.outside, group, range)
    return entriesOf(await this.#connections.records(sql, values, call))
  }

  names(prefix: string, call: GroupCall): AsyncGenerator<readonly string[]> {
    const { namesFrom, namesBetween } = this.#statements
    return namePages(async (after, most) => {
      const { start, end } = groupBounds({ prefix, after })
      const sql = end === undefined ? namesFrom : namesBetween
      const values = end === undefined ? [start, most] : [start, most, end]
      return (await this.#connections.records(sql, values, call)).map(keyOf)
    })
  }

  /** A group without records has left nothing behind. */
  async forget(): Promise<boolean> {
    return false
  }
}
