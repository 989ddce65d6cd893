import type { SqliteDatabase, SqliteStatement } from './sqlite-client.ts'

/** A condition on the row beside its key. */
const live = '(expires_at IS NULL OR expires_at > ?)'

/** The statements over a table, each prepared when it is first wanted. */
export class Statements {
  readonly #database: SqliteDatabase
  readonly #table: string
  readonly #prepared = new Map<string, SqliteStatement>()

  constructor(database: SqliteDatabase, table: string) {
    this.#database = database
    this.#table = `"${table}"`
  }

  /** key, now: version, expires_at, value. */
  read(): SqliteStatement {
    return this.#of(`SELECT version, expires_at, value FROM ${this.#table} WHERE k = ? AND ${live}`)
  }

  /** key, now: version, expires_at. */
  head(): SqliteStatement {
    return this.#of(`SELECT version, expires_at FROM ${this.#table} WHERE k = ? AND ${live}`)
  }

  /** known version, key, now: version, expires_at, the value if the version differs. */
  unless(): SqliteStatement {
    const value = 'CASE WHEN version <> ? THEN value END'
    return this.#of(`SELECT version, expires_at, ${value} FROM ${this.#table} WHERE k = ? AND ${live}`)
  }

  /** key, version, expires_at, value. */
  upsert(): SqliteStatement {
    return this.#of(`${this.#insert()} DO UPDATE SET ${replaced}, expires_at = excluded.expires_at`)
  }

  /** key, version, expires_at of a new one, value, now: the expiry stays, unless it has come. */
  upsertKeep(): SqliteStatement {
    const kept = `CASE WHEN ${live} THEN expires_at END`
    return this.#of(`${this.#insert()} DO UPDATE SET ${replaced}, expires_at = ${kept}`)
  }

  /** key, version, expires_at, value, now: a row if there was none that lives. */
  insert(): SqliteStatement {
    const update = `DO UPDATE SET ${replaced}, expires_at = excluded.expires_at WHERE NOT ${live}`
    return this.#of(`${this.#insert()} ${update} RETURNING 1`)
  }

  /** version, value, expires_at, key, known version, now: a row if it had the known version. */
  replace(): SqliteStatement {
    return this.#of(
      `UPDATE ${this.#table} SET version = ?, value = ?, expires_at = ? WHERE k = ? AND version = ? AND ${live} RETURNING 1`,
    )
  }

  /** version, value, key, known version, now: a row if it had the known version. */
  replaceKeep(): SqliteStatement {
    return this.#of(
      `UPDATE ${this.#table} SET version = ?, value = ? WHERE k = ? AND version = ? AND ${live} RETURNING 1`,
    )
  }

  /** key. */
  remove(): SqliteStatement {
    return this.#of(`DELETE FROM ${this.#table} WHERE k = ?`)
  }

  /** key, known version, now: a row if it had the known version. */
  removeVersion(): SqliteStatement {
    return this.#of(`DELETE FROM ${this.#table} WHERE k = ? AND version = ? AND ${live} RETURNING 1`)
  }

  /** expires_at, key, now: the version, if there was a record. */
  touch(): SqliteStatement {
    return this.#of(`UPDATE ${this.#table} SET expires_at = ? WHERE k = ? AND ${live} RETURNING version`)
  }

  /** expires_at, key, now, known version: the version, if there was this record. */
  touchVersion(): SqliteStatement {
    return this.#of(
      `UPDATE ${this.#table} SET expires_at = ? WHERE k = ? AND ${live} AND version = ? RETURNING version`,
    )
  }

  /** now, how many: rows that have expired go. */
  sweep(): SqliteStatement {
    const expired = `SELECT rowid FROM ${this.#table} WHERE expires_at <= ? LIMIT ?`
    return this.#of(`DELETE FROM ${this.#table} WHERE rowid IN (${expired})`)
  }

  /** first key, [end,] now, how many: k, version, expires_at [, value]. */
  page(values: boolean, bounded: boolean): SqliteStatement {
    const columns = `k, version, expires_at${values ? ', value' : ''}`
    const range = `k >= ?${bounded ? ' AND k < ?' : ''}`
    return this.#of(`SELECT ${columns} FROM ${this.#table} WHERE ${range} AND ${live} ORDER BY k LIMIT ?`)
  }

  /** `SAVEPOINT` and the like. */
  control(sql: string): void {
    this.#of(sql).run([])
  }

  #insert(): string {
    return `INSERT INTO ${this.#table} (k, version, expires_at, value) VALUES (?, ?, ?, ?) ON CONFLICT (k)`
  }

  #of(sql: string): SqliteStatement {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = this.#database.prepare(sql)
      if (sql.startsWith('SELECT') || sql.includes('RETURNING')) statement.raw()
      this.#prepared.set(sql, statement)
    }
    return statement
  }
}

const replaced = 'version = excluded.version, value = excluded.value'
