import type { ReadKind } from '@unikv/core/sql-client'
import { counted, outcomes } from './outcomes.ts'

/** Milliseconds since the epoch by the server's clock, constant within a statement. */
const now = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000"
/**
 * Not in a form that the index on `expires_at` could serve: records are found, and locked, by key alone. The clock
 * is computed for each record, so only where there is an expiry.
 */
const live = `IF(expires_at IS NULL, TRUE, expires_at > ${now})`
const dead = `IF(expires_at IS NULL, FALSE, expires_at <= ${now})`

/** Rows that reads see: those that live, and those whose expiry was changed by hand and means nothing; the reader tells of that. */
const seen = `IF(expires_at IS NULL, TRUE, expires_at > ${now} OR CONCAT(expires_at + 0) <> CONCAT(expires_at))`
/** In the place of a body that is not asked for: whether there is none. */
const noBody = ', IF(value IS NULL, 1, NULL) AS value'

/** How an UPDATE is narrowed beside the key: not at all, or to one version. */
export type Match = 'any' | 'version'

const maxSafe = Number.MAX_SAFE_INTEGER

/**
 * The SQL of one table, for MySQL 8 and MariaDB alike: no `RETURNING` and no `INSERT … AS new`. Assignments of an
 * upsert read only columns that are assigned later, so that they mean the same from left to right and at once.
 *
 * The clock is `UTC_TIMESTAMP`, as `UNIX_TIMESTAMP(NOW(3))` depends on the session's time zone and is an hour off
 * when its clocks go back.
 */
export class Statements {
  readonly #table: string
  readonly #body: string
  readonly #parameter: string
  readonly #sum: string
  readonly #made = new Map<string, string>()

  /** `table` comes from the allow-list. */
  constructor(table: string, documents: boolean) {
    this.#table = `\`${table}\``
    // Bytes on the way out and a declared character set on the way in: no character set of the client matters.
    this.#body = documents ? 'CAST(value AS BINARY)' : 'value'
    this.#parameter = documents ? 'CONVERT(? USING utf8mb4)' : '?'
    this.#sum = documents ? `JSON_EXTRACT(CONCAT('[', ${sum}, ']'), '$[0]')` : `CAST(${sum} AS CHAR)`
  }

  /** One key. Parameters: the known version (`unless` only), the key. */
  readOne(kind: ReadKind): string {
    return this.#once(`readOne ${kind}`, () => {
      const body = {
        value: `, ${this.#body} AS value`,
        head: noBody,
        unless: `, IF(version = ?, NULL, ${this.#body}) AS value`,
      }
      return `SELECT version, expires_at${body[kind]} FROM ${this.#table} WHERE k = ? AND ${seen}`
    })
  }

  /** Many keys. Parameters: pairs of key and known version (`unless` only), then the keys. */
  readMany(kind: ReadKind, size: number): string {
    return this.#once(`readMany ${kind} ${size}`, () => {
      const known = `(k, version) IN (${list('(?, ?)', size)})`
      const body = {
        value: `, ${this.#body} AS value`,
        head: noBody,
        unless: `, IF(${known}, NULL, ${this.#body}) AS value`,
      }
      return `SELECT k, version, expires_at${body[kind]} FROM ${this.#table} WHERE k IN (${list('?', size)}) AND ${seen}`
    })
  }

  /** Keys in order, or in reverse. Parameters: the least key, the end (`bounded` only), the most rows as text. */
  page(values: boolean, bounded: boolean, reverse: boolean): string {
    return this.#once(`page ${values} ${bounded} ${reverse}`, () => {
      const columns = values ? `k, version, expires_at, ${this.#body} AS value` : 'k'
      const end = bounded ? ' AND k < ?' : ''
      return `SELECT ${columns} FROM ${this.#table} WHERE k >= ?${end} AND ${seen} ORDER BY k${reverse ? ' DESC' : ''} LIMIT ?`
    })
  }

  /** The table, the columns of a record, and the condition that it lives: for queries. */
  get records(): {
    readonly table: string
    readonly columns: readonly string[]
    readonly live: () => string
  } {
    return { table: this.#table, columns: ['k', 'version', 'expires_at', this.#body], live: () => seen }
  }

  /** Set, over any record. Parameters of each row: key, version, expiry, value. */
  upsert(size: number, keepExpiry: boolean): string {
    return this.#once(`upsert ${size} ${keepExpiry}`, () => {
      const expiry = keepExpiry ? `IF(${live}, expires_at, NULL)` : 'VALUES(expires_at)'
      return `${this.#insert(size)} version = VALUES(version), value = VALUES(value), expires_at = ${expiry}`
    })
  }

  /** Set where there is no live record. Parameters: key, version, expiry, value. */
  insertIfAbsent(): string {
    return this.#once('insertIfAbsent', () => {
      const outcome = `LAST_INSERT_ID(IF(${dead}, ${outcomes.replaced}, ${outcomes.refused}))`
      return `${this.#insert(1)} version = IF(${outcome} = ${outcomes.replaced}, VALUES(version), version),
        value = IF(${dead}, VALUES(value), value), expires_at = IF(${dead}, VALUES(expires_at), expires_at)`
    })
  }

  /** Set where the version is known. Parameters: version, value, expiry (unless kept), key, known version. */
  replace(keepExpiry: boolean): string {
    return this.#once(`replace ${keepExpiry}`, () => {
      const expiry = keepExpiry ? '' : ', expires_at = ?'
      return `UPDATE ${this.#table} SET version = ?, value = ${this.#parameter}${expiry} WHERE k = ? AND version = ? AND ${live}`
    })
  }

  /** Parameters: the keys. */
  deleteMany(size: number): string {
    return this.#once(
      `deleteMany ${size}`,
      () => `DELETE FROM ${this.#table} WHERE k IN (${list('?', size)})`,
    )
  }

  /** Parameters: key, known version. */
  deleteVersion(): string {
    return this.#once(
      'deleteVersion',
      () => `DELETE FROM ${this.#table} WHERE k = ? AND version = ? AND ${live}`,
    )
  }

  /** Change the expiry. Parameters: expiry, key, known version (`version` only). Outcome: 1 where a record matched. */
  touch(match: Match): string {
    return this.#once(`touch ${match}`, () => {
      const expiry = 'expires_at = IF(LAST_INSERT_ID(1) = 1, ?, NULL)'
      return `UPDATE ${this.#table} SET ${expiry} WHERE k = ?${version(match)} AND ${live}`
    })
  }

  /** The expiry, even if it has passed. Parameter: key. */
  readExpiry(): string {
    return this.#once('readExpiry', () => `SELECT expires_at FROM ${this.#table} WHERE k = ?`)
  }

  /** Add, or insert. Parameters: key, version, expiry, initial sum as text, then the summand as text, five times. */
  increment(): string {
    return this.#once('increment', () => {
      const outcome = `CASE WHEN ${dead} THEN ${outcomes.replaced} ${addition} END`
      return `${this.#insert(1)} version = IF(LAST_INSERT_ID(${outcome}) > ${outcomes.unsafe}, VALUES(version), version),
        value = CASE WHEN ${dead} THEN VALUES(value) ${this.#added()} END,
        expires_at = IF(${dead}, VALUES(expires_at), expires_at)`
    })
  }

  /** Add to what is there. Parameters: summand three times, version, summand twice, key, known version (`version` only). */
  incrementExisting(match: Match): string {
    return this.#once(`incrementExisting ${match}`, () => {
      const outcome = `LAST_INSERT_ID(CASE ${addition} END)`
      return `UPDATE ${this.#table} SET version = IF(${outcome} > ${outcomes.unsafe}, ?, version),
        value = CASE ${this.#added()} END WHERE k = ?${version(match)} AND ${live}`
    })
  }

  /** Some keys of expired records. Parameter: the most rows as text. */
  expired(): string {
    return this.#once('expired', () => `SELECT k FROM ${this.#table} WHERE expires_at <= ${now} LIMIT ?`)
  }

  /** Delete the records that are still expired when it comes to them. Parameters: the keys. */
  deleteExpired(size: number): string {
    return this.#once(`deleteExpired ${size}`, () => `${this.deleteMany(size)} AND ${dead}`)
  }

  #insert(size: number): string {
    const rows = list(`(?, ?, ?, ${this.#parameter})`, size)
    return `INSERT INTO ${this.#table} (k, version, expires_at, value) VALUES ${rows} ON DUPLICATE KEY UPDATE`
  }

  #added(): string {
    return `WHEN ${isNoCounter} THEN value WHEN ABS(${sum}) > ${maxSafe} THEN value ELSE ${this.#sum}`
  }

  #once(name: string, make: () => string): string {
    let sql = this.#made.get(name)
    if (sql === undefined) this.#made.set(name, (sql = make()))
    return sql
  }
}

/** latin1 has a character for every byte, so that a body which is not text causes no error. */
const digits = 'CONVERT(value USING latin1)'
const sum = `(CAST(${digits} AS SIGNED) + CAST(? AS SIGNED))`

/** In this order: a cast of text that is not a number is an error in strict mode, and `$` also matches before a line end. */
const isNoCounter = `(CASE WHEN LENGTH(value) > 17 THEN 1 WHEN ${digits} REGEXP '[^-0-9]' THEN 1
  WHEN ${digits} NOT REGEXP '^(0|-?[1-9][0-9]{0,15})$' THEN 1
  WHEN ABS(CAST(${digits} AS SIGNED)) > ${maxSafe} THEN 1 ELSE 0 END)`

const addition = `WHEN ${isNoCounter} THEN ${outcomes.refused} WHEN ABS(${sum}) > ${maxSafe} THEN ${outcomes.unsafe}
  ELSE ${counted(sum)}`

function version(match: Match): string {
  return match === 'version' ? ' AND version = ?' : ''
}

function list(item: string, size: number): string {
  return Array.from({ length: size }, () => item).join(', ')
}
