import type { Bytes, GroupEntry, GroupRange } from '@unikv/core'
import { type GroupHead, type GroupLook, groupBounds, noGroup } from '@unikv/core/adapter'
import type { SqliteValue } from '../file/sqlite-client.ts'
import type { GroupStatements } from './group-table.ts'

type Row = readonly [key: Uint8Array, number: SqliteValue, value: Uint8Array]

/** A group in one snapshot, or inside of a write transaction. */
export class GroupView implements GroupLook {
  readonly head: GroupHead
  /** Time of its last commit; `undefined`: there is no such group. */
  readonly changedAt: number | undefined
  readonly name: Buffer
  readonly #statements: GroupStatements

  constructor(statements: GroupStatements, group: string) {
    this.#statements = statements
    this.name = Buffer.from(group)
    const [row] = statements.head.all([this.name]) as readonly (readonly SqliteValue[])[]
    this.head = row === undefined ? noGroup : { birth: String(row[0]), commits: Number(row[1]) }
    this.changedAt = row === undefined ? undefined : Number(row[2])
  }

  numberOf(key: string): number | undefined {
    return this.#record(key)?.[0]
  }

  valueOf(key: string): Bytes | undefined {
    return this.#record(key)?.[1]
  }

  numbersIn(range: GroupRange): readonly (readonly [key: string, number: number])[] {
    return this.#rows(range).map(([key, number]) => [textOf(key), Number(number)] as const)
  }

  entriesIn(range: GroupRange): readonly GroupEntry[] {
    return this.#rows(range).map(([key, , value]) => ({ key: textOf(key), value }))
  }

  /** Whether it has no records. */
  get isEmpty(): boolean {
    return this.#rows({ prefix: '', limit: 1 }).length === 0
  }

  #record(key: string): readonly [number: number, value: Bytes] | undefined {
    // All rows, not one: the statement is done when there are no more.
    const [row] = this.#statements.record.all([this.name, Buffer.from(key)]) as readonly (readonly [
      SqliteValue,
      Uint8Array,
    ])[]
    return row === undefined ? undefined : [Number(row[0]), row[1]]
  }

  #rows(range: GroupRange): readonly Row[] {
    if (range.limit < 1) return []
    const { start, end } = groupBounds(range)
    const most = Number.isFinite(range.limit) ? range.limit : -1
    const found =
      end === undefined
        ? this.#statements.rowsFrom.all([this.name, start, most])
        : this.#statements.rowsBetween.all([this.name, start, end, most])
    return found as readonly Row[]
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
}
