import type { GroupKey, GroupRange } from '@unikv/core'
import { groupBounds } from '@unikv/core/adapter'
import { padded } from '../batches/padded.ts'
import type { Parameter } from '../client/mysql-client.ts'

/** SQL and its values. */
export interface GroupStatement {
  readonly sql: string
  readonly values: readonly Parameter[]
}

/** A row to write. */
export type GroupRow = readonly [group: Buffer, key: Buffer, value: Buffer]

/** Above every name of a group, as no UTF-8 has this byte: the place of tokens, and the end of names and keys. */
export const beyond: Buffer = Buffer.of(0xff)

/** Most keys that one statement reads. */
const mostKeys = 256
/** Most rows of one answer. */
const mostRows = 2_147_483_647

/** Milliseconds since the epoch. */
const serverMs = '(UNIX_TIMESTAMP() * 1000)'

/** The SQL of the table of groups. */
export class GroupStatements {
  readonly #table: string
  readonly #lock: string

  /** `table` is from the allow-list. */
  constructor(table: string, lockReads: boolean) {
    this.#table = `\`${table}\``
    this.#lock = lockReads ? ' FOR UPDATE' : ' LOCK IN SHARE MODE'
  }

  /** Records by group and key: `grp`, `k`, `value`. Many keys take several statements, as one has at most 65,535 places. */
  reads(keys: readonly GroupKey[], isInside: boolean): readonly GroupStatement[] {
    const count = Math.ceil(keys.length / mostKeys)
    return Array.from({ length: count }, (_, part) =>
      this.#read(keys.slice(part * mostKeys, (part + 1) * mostKeys), isInside),
    )
  }

  #read(keys: readonly GroupKey[], isInside: boolean): GroupStatement {
    const rows = padded(keys)
    const places = rows.map(() => '(?, ?)').join(', ')
    const match = rows.length === 1 ? 'grp = ? AND k = ?' : `(grp, k) IN (${places})`
    return {
      sql: `SELECT grp, k, value FROM ${this.#table} WHERE ${match}${isInside ? this.#lock : ''}`,
      values: rows.flatMap(({ group, key }) => [Buffer.from(group), Buffer.from(key)]),
    }
  }

  /** Records of a range, in order: `k`, `value`. */
  list(group: string, range: GroupRange, isInside: boolean): GroupStatement {
    const { start, end = beyond } = groupBounds(range)
    return {
      sql: `SELECT k, value FROM ${this.#table} WHERE grp = ? AND k >= ? AND k < ? ORDER BY k LIMIT ?${isInside ? this.#lock : ''}`,
      // As text: MySQL 8 takes no double for a LIMIT.
      values: [Buffer.from(group), start, end, String(Math.min(range.limit, mostRows))],
    }
  }

  upsert(rows: readonly GroupRow[]): GroupStatement {
    const places = rows.map(() => '(?, ?, ?)').join(', ')
    return {
      sql: `INSERT INTO ${this.#table} (grp, k, value) VALUES ${places} ON DUPLICATE KEY UPDATE value = VALUES(value)`,
      values: rows.flat(),
    }
  }

  remove(group: string | Buffer, keys: readonly (string | Buffer)[]): GroupStatement {
    const rows = padded(keys)
    return {
      sql: `DELETE FROM ${this.#table} WHERE grp = ? AND k IN (${rows.map(() => '?').join(', ')})`,
      values: [Buffer.from(group), ...rows.map((key) => Buffer.from(key))],
    }
  }

  /** A token, once no transaction that has written it goes on: its row is locked until then. */
  token(token: Buffer): GroupStatement {
    return {
      sql: `SELECT k FROM ${this.#table} WHERE grp = ? AND k = ? LOCK IN SHARE MODE`,
      values: [beyond, token],
    }
  }

  /** The clock of the server: `ms`. */
  clock(): GroupStatement {
    return { sql: `SELECT ${serverMs} AS ms`, values: [] }
  }

  /** Delete tokens that are older, by the clock of the server: those of the processes that sweep may differ. */
  oldTokens(ageMs: number): GroupStatement {
    return {
      sql: `DELETE FROM ${this.#table} WHERE grp = ? AND k < UNHEX(LPAD(HEX(${serverMs} - ${ageMs}), 12, '0')) LIMIT 1000`,
      values: [beyond],
    }
  }

  /** Names of groups from this one on. */
  names(prefix: string, after: string | undefined, most: number): GroupStatement {
    const { start, end = beyond } = groupBounds({ prefix, after })
    return {
      sql: `SELECT DISTINCT grp FROM ${this.#table} WHERE grp >= ? AND grp < ? ORDER BY grp LIMIT ?`,
      values: [start, end, String(most)],
    }
  }
}
