import type { SqliteDatabase, SqliteStatement } from './sqlite-client.ts'

/** As text, which costs the driver less than bytes. In capitals: `versionIn` makes them small for less than SQLite would. */
const version = 'hex(version)'

/** A condition on the row beside its key. */
const live = '(expires_at IS NULL OR expires_at > ?)'

/** Queries that are kept prepared. */
const mostQueries = 100

/** The statements over a table, each prepared when it is first wanted. */
export class Statements {
  readonly #database: SqliteDatabase
  readonly #sql: SqlTexts
  #last: SqliteStatement | undefined
  #prepared: Partial<Record<keyof SqlTexts, SqliteStatement>> = {}
  readonly #queries = new Map<string, SqliteStatement>()

  constructor(database: SqliteDatabase, table: string) {
    this.#database = database
    this.#sql = textsFor(`"${table}"`)
  }

  /** A statement, by what it does. */
  of(name: keyof SqlTexts): SqliteStatement {
    return (this.#last = this.#prepared[name] ??= this.#prepare(this.#sql[name]))
  }

  /** A query. Those of many forms are not kept. */
  query(text: string): SqliteStatement {
    let query = this.#queries.get(text)
    if (query === undefined) {
      query = this.#database.prepare(text).raw()
      if (this.#queries.size < mostQueries) this.#queries.set(text, query)
    }
    return (this.#last = query)
  }

  /**
   * Use none again that was prepared: libsql does not reset one that failed. One that writes and found the file locked goes
   * on with its attempt, and would keep later ones from taking effect: it ends where nothing can be written.
   */
  renew(foundLocked: boolean): void {
    if (foundLocked && this.#last !== undefined) this.#end(this.#last)
    this.#last = undefined
    this.#prepared = {}
    this.#queries.clear()
  }

  #end(statement: SqliteStatement): void {
    this.#database.exec('PRAGMA query_only = ON')
    try {
      statement.run([])
    } catch {
      // So it is meant.
    } finally {
      this.#database.exec('PRAGMA query_only = OFF')
    }
  }

  #prepare(sql: string): SqliteStatement {
    const statement = this.#database.prepare(sql)
    return sql.startsWith('SELECT') || sql.includes('RETURNING') ? statement.raw() : statement
  }
}

/** The text of each statement, with its parameters and columns. */
interface SqlTexts {
  /** key, now: version, expires_at, value. */
  readonly read: string
  /** key, now: version, expires_at. */
  readonly head: string
  /** known version, key, now: version, expires_at, the value if the version differs. */
  readonly unless: string
  /** key, version, expires_at, value. */
  readonly upsert: string
  /** key, version, expires_at of a new one, value, now: the expiry stays, unless it has come. */
  readonly upsertKeep: string
  /** key, version, expires_at, value, now: a row if there was none that lives. */
  readonly insert: string
  /** version, value, expires_at, key, known version, now: a row if it had the known version. */
  readonly replace: string
  /** version, value, key, known version, now: a row if it had the known version. */
  readonly replaceKeep: string
  /** key, now: whether it was live, if there was one. */
  readonly remove: string
  /** key, known version, now: a row if it had the known version. */
  readonly removeVersion: string
  /** expires_at, key, now: the version, if there was a record. */
  readonly touch: string
  /** expires_at, key, now, known version: the version, if there was this record. */
  readonly touchVersion: string
  /** now, how many: rows that have expired go. */
  readonly sweep: string
  /** first key, now, how many: k, version, expires_at. */
  readonly keysFrom: string
  /** The same, from the last key to the first. */
  readonly keysFromReverse: string
  /** first key, end, now, how many: k, version, expires_at. */
  readonly keysBetween: string
  /** The same, from the last key to the first. */
  readonly keysBetweenReverse: string
  /** first key, now, how many: k, version, expires_at, value. */
  readonly rowsFrom: string
  /** The same, from the last key to the first. */
  readonly rowsFromReverse: string
  /** first key, end, now, how many: k, version, expires_at, value. */
  readonly rowsBetween: string
  /** The same, from the last key to the first. */
  readonly rowsBetweenReverse: string
  /** A transaction that reads: it waits for no lock, so that it may be prepared. */
  readonly begin: string
  readonly commit: string
  readonly savepoint: string
  readonly undo: string
  readonly release: string
}

function textsFor(table: string): SqlTexts {
  const insert = `INSERT INTO ${table} (k, version, expires_at, value) VALUES (?, ?, ?, ?) ON CONFLICT (k)`
  const replaced = 'version = excluded.version, value = excluded.value'
  const withVersion = `k = ? AND version = ? AND ${live} RETURNING 1`
  const page = (columns: string, range: string, order = 'k'): string =>
    `SELECT ${columns} FROM ${table} WHERE ${range} AND ${live} ORDER BY ${order} LIMIT ?`
  const keys = `k, ${version}, expires_at`
  const rows = `${keys}, value`
  const from = 'k >= ?'
  const between = 'k >= ? AND k < ?'
  return {
    read: `SELECT ${version}, expires_at, value FROM ${table} WHERE k = ? AND ${live}`,
    head: `SELECT ${version}, expires_at FROM ${table} WHERE k = ? AND ${live}`,
    unless: `SELECT ${version}, expires_at, CASE WHEN version <> ? THEN value END FROM ${table} WHERE k = ? AND ${live}`,
    upsert: `${insert} DO UPDATE SET ${replaced}, expires_at = excluded.expires_at`,
    upsertKeep: `${insert} DO UPDATE SET ${replaced}, expires_at = CASE WHEN ${live} THEN expires_at END`,
    insert: `${insert} DO UPDATE SET ${replaced}, expires_at = excluded.expires_at WHERE NOT ${live} RETURNING 1`,
    replace: `UPDATE ${table} SET version = ?, value = ?, expires_at = ? WHERE ${withVersion}`,
    replaceKeep: `UPDATE ${table} SET version = ?, value = ? WHERE ${withVersion}`,
    remove: `DELETE FROM ${table} WHERE k = ? RETURNING ${live}`,
    removeVersion: `DELETE FROM ${table} WHERE ${withVersion}`,
    touch: `UPDATE ${table} SET expires_at = ? WHERE k = ? AND ${live} RETURNING ${version}`,
    touchVersion: `UPDATE ${table} SET expires_at = ? WHERE k = ? AND ${live} AND version = ? RETURNING ${version}`,
    sweep: `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE expires_at <= ? LIMIT ?)`,
    keysFrom: page(keys, from),
    keysFromReverse: page(keys, from, 'k DESC'),
    keysBetween: page(keys, between),
    keysBetweenReverse: page(keys, between, 'k DESC'),
    rowsFrom: page(rows, from),
    rowsFromReverse: page(rows, from, 'k DESC'),
    rowsBetween: page(rows, between),
    rowsBetweenReverse: page(rows, between, 'k DESC'),
    begin: 'BEGIN',
    commit: 'COMMIT',
    savepoint: 'SAVEPOINT call',
    undo: 'ROLLBACK TO call',
    release: 'RELEASE call',
  }
}
