import type {
  Bytes,
  GroupCall,
  GroupEntry,
  GroupKey,
  GroupRange,
  Groups,
  GroupTransaction,
} from '@unikv/core'
import { checkPart } from './check-part.ts'
import type { GroupParts } from './group-parts.ts'
import { entriesOf, type FoundRow, inOrder } from './group-rows.ts'
import type { GroupStatement } from './group-statements.ts'
import { MysqlTransaction } from './mysql-transaction.ts'

/** Names of a page. */
const namesPerPage = 1_000

/** Groups in a table of their own, by serializable transactions of InnoDB, which lock everything that they read. */
export class MysqlGroups implements Groups {
  readonly control = 'locks'
  readonly maxGroupBytes: number = Number.POSITIVE_INFINITY
  readonly #parts: GroupParts

  constructor(parts: GroupParts) {
    this.#parts = parts
  }

  begin(group: string, call: GroupCall): GroupTransaction {
    checkPart(group)
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

  async *names(prefix: string, call: GroupCall): AsyncGenerator<readonly string[]> {
    this.#parts.tokens.sweep()
    for (let after: string | undefined; ; ) {
      const rows = await this.#rows(this.#parts.statements.names(prefix, after, namesPerPage), call)
      const names = rows.map(({ grp }) => grp.toString())
      if (names.length > 0) yield names
      if (names.length < namesPerPage) return
      after = names.at(-1)
    }
  }

  /** A group without records has left nothing behind. */
  async forget(): Promise<boolean> {
    return false
  }

  #rows({ sql, values }: GroupStatement, call: GroupCall): Promise<readonly FoundRow[]> {
    return this.#parts.connections.execute(sql, values, call, false)
  }
}
