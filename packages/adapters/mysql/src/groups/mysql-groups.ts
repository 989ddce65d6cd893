import type {
  Bytes,
  GroupCall,
  GroupEntry,
  GroupKey,
  GroupRange,
  Groups,
  GroupTransaction,
} from '@unikv/core'
import { checkGroupKey } from '@unikv/core/adapter'
import { namePages } from '@unikv/core/sql-client'
import { entriesOf, type FoundRow, inOrder } from './group-rows.ts'
import type { GroupStatement } from './group-statements.ts'
import { maxPartBytes } from './group-table.ts'
import { type GroupParts, MysqlTransaction } from './mysql-transaction.ts'

/** Groups in a table of their own, by serializable transactions of InnoDB, which lock everything that they read. */
export class MysqlGroups implements Groups {
  readonly control = 'locks'
  readonly maxGroupBytes: number = Number.POSITIVE_INFINITY
  readonly #parts: GroupParts

  constructor(parts: GroupParts) {
    this.#parts = parts
  }

  begin(group: string, call: GroupCall): GroupTransaction {
    checkGroupKey(group, undefined, maxPartBytes)
    return new MysqlTransaction(this.#parts, group, call)
  }

  async read(keys: readonly GroupKey[], call: GroupCall): Promise<readonly (Bytes | undefined)[]> {
    if (keys.length === 0) return []
    const rows: FoundRow[] = []
    for (const statement of this.#parts.statements.reads(keys, false))
      for (const row of await this.#rows(statement, call)) rows.push(row)
    return inOrder(keys, rows)
  }

  async list(group: string, range: GroupRange, call: GroupCall): Promise<readonly GroupEntry[]> {
    return entriesOf(await this.#rows(this.#parts.statements.list(group, range, false), call))
  }

  names(prefix: string, call: GroupCall): AsyncGenerator<readonly string[]> {
    const { tokens, statements } = this.#parts
    tokens.sweep()
    return namePages(async (after, most) => {
      const rows = await this.#rows(statements.names(prefix, after, most), call)
      return rows.map(({ grp }) => grp.toString())
    })
  }

  /** A group without records has left nothing behind. */
  async forget(): Promise<boolean> {
    return false
  }

  #rows({ sql, values }: GroupStatement, call: GroupCall): Promise<readonly FoundRow[]> {
    return this.#parts.connections.execute(sql, values, call, false)
  }
}
