import { createHash } from 'node:crypto'
import type { ReadKind } from '@unikv/core/sql-client'

/** SQL, and the name under which connections keep it prepared. */
export interface Sql {
  /** Absent: it is prepared each time. */
  readonly name?: string
  readonly text: string
  /** It answers in the binary form of the protocol. */
  readonly isBinary?: boolean
}

/** Properties of the statements of a table. */
export interface StatementOptions {
  /** Values are JSONB. */
  readonly documents: boolean
  /** Connections keep them prepared. */
  readonly named: boolean
  /** Records are read in the binary form. */
  readonly binary: boolean
}

/** How many records of each kind a call changes together. */
export interface TogetherCounts {
  /** Those that must have a version. */
  readonly held: number
  readonly replaced: number
  readonly made: number
  readonly removed: number
}

/** Queries of more forms than these are prepared each time: connections would keep too many of them. */
const mostQueries = 200

/** Statements about more records are not kept prepared, as there would be too many of them. */
const mostNamed = 16

/** How a change is narrowed beside the key: not at all, or to one version. */
export type Match = 'any' | 'version'

/** Milliseconds since the epoch by the server's clock. */
const now = 'extract(epoch FROM clock_timestamp()) * 1000'
const live = `(r.expires_at IS NULL OR r.expires_at > ${now})`
const dead = `(r.expires_at IS NOT NULL AND r.expires_at <= ${now})`

/** As text by a function, as a setting (`bytea_output`) decides how the server would print bytes. */
const versionText = "encode(r.version, 'hex')"
const keyText = "encode(r.k, 'hex')"

/**
 * The SQL of one table. Statements that read answer version, expiry, body and, where there are many, key.
 *
 * Conditions are decided by one statement that first looks (`found`) and then changes what still matches (`done`).
 * Both see the same moment. Where `done` finds that another writer was quicker, `found` may still name the expected
 * version; any other version that it names is the truth of that moment.
 */
export class Statements {
  readonly #table: string
  readonly #version: string
  readonly #body: string
  readonly #key: string
  readonly #named: boolean
  readonly #binary: boolean
  readonly #documents: boolean
  readonly #made = new Map<string, Sql>()
  readonly #queries = new Map<string, Sql>()

  /** `table` is quoted and from the allow-list. */
  constructor(table: string, { documents, named, binary }: StatementOptions) {
    this.#table = table
    this.#documents = documents
    this.#named = named
    this.#binary = binary
    this.#version = binary ? 'r.version' : versionText
    this.#key = binary ? 'r.k' : keyText
    const bytes = binary ? 'r.value' : "encode(r.value, 'base64')"
    this.#body = documents ? 'r.value::text' : bytes
  }

  /** One key. Parameters: key, known version (`unless` only). */
  readOne(kind: ReadKind): Sql {
    return this.#reading(
      `readOne ${kind}`,
      () =>
        `SELECT ${this.#version}, r.expires_at, ${this.#bodyOf(kind, '$2')} FROM ${this.#table} AS r WHERE r.k = $1 AND ${live}`,
    )
  }

  /** Many keys. Parameters: keys, known versions (`unless` only). */
  readMany(kind: ReadKind): Sql {
    return this.#reading(`readMany ${kind}`, () => {
      const columns = `${this.#version}, r.expires_at, ${this.#bodyOf(kind, 'asked.known')}, ${this.#key}`
      return kind === 'unless'
        ? `SELECT ${columns} FROM unnest($1::bytea[], $2::bytea[]) AS asked (k, known)
           JOIN ${this.#table} AS r ON r.k = asked.k WHERE ${live}`
        : `SELECT ${columns} FROM ${this.#table} AS r WHERE r.k = ANY($1) AND ${live}`
    })
  }

  /** Keys in order, or in reverse. Parameters: the least key, the most rows, the end (`bounded` only). */
  page(values: boolean, bounded: boolean, reverse: boolean): Sql {
    return this.#reading(`page ${values} ${bounded} ${reverse}`, () => {
      const columns = values ? `${this.#version}, r.expires_at, ${this.#body}` : 'NULL, NULL, NULL'
      const end = bounded ? ' AND r.k < $3' : ''
      return `SELECT ${columns}, ${this.#key} FROM ${this.#table} AS r
        WHERE r.k >= $1${end} AND ${live} ORDER BY r.k${reverse ? ' DESC' : ''} LIMIT $2`
    })
  }

  /** The table, the columns of a record, and the condition that it lives: for queries. */
  get records(): { readonly table: string; readonly columns: readonly string[]; readonly live: string } {
    return { table: this.#table, columns: [this.#version, 'r.expires_at', this.#body, this.#key], live }
  }

  /** A statement of the compiler of queries, which answers records or totals. */
  ofQuery(text: string, ofRecords: boolean): Sql {
    const isBinary = ofRecords && this.#binary
    let sql = this.#queries.get(text)
    if (sql !== undefined) return sql
    const isKept = this.#named && this.#queries.size < mostQueries
    sql = { ...(isKept && { name: statementName(text) }), text, isBinary }
    if (isKept) this.#queries.set(text, sql)
    return sql
  }

  /** Set, over any record. Parameters: key, version, expiry, value. */
  upsertOne(keepExpiry: boolean): Sql {
    return this.#once(
      `upsertOne ${keepExpiry}`,
      () => `${this.#insert} VALUES ${this.#row} ${onConflict(keepExpiry)}`,
    )
  }

  /** Set many, in the order given. Parameters: keys, versions, expiries, values. */
  upsertMany(keepExpiry: boolean): Sql {
    return this.#once(`upsertMany ${keepExpiry}`, () => {
      const [value, type] = this.#documents ? ['value::jsonb', 'text'] : ['value', 'bytea']
      return `${this.#insert} SELECT k, version, expires_at, ${value}
        FROM unnest($1::bytea[], $2::bytea[], $3::int8[], $4::${type}[]) AS rows (k, version, expires_at, value)
        ${onConflict(keepExpiry)}`
    })
  }

  /** Set where there is no live record. Parameters: key, version, expiry, value. */
  insertIfAbsent(): Sql {
    return this.#decided('insertIfAbsent', () => {
      const row = this.#row.slice(1, -1)
      return `${this.#insert} SELECT ${row} WHERE NOT EXISTS (SELECT FROM found)
        ${onConflict(false)} WHERE ${dead} RETURNING 1 AS told, r.expires_at`
    })
  }

  /** Set where the version is known. Parameters: key, known version, version, value, expiry (unless kept). */
  replace(keepExpiry: boolean): Sql {
    return this.#decided(`replace ${keepExpiry}`, () => {
      const expiry = keepExpiry ? '' : ', expires_at = $5'
      return `UPDATE ${this.#table} AS r SET version = $3, value = ${this.#value}${expiry} ${matching('version')} RETURNING 1 AS told, r.expires_at`
    })
  }

  /** Answers whether the record that it deleted was live. Parameter: key. */
  deleteOne(): Sql {
    return this.#once('deleteOne', () => `DELETE FROM ${this.#table} AS r WHERE r.k = $1 RETURNING ${live}`)
  }

  /** Answers the keys of live records, as hexadecimal. Locks in the order of keys, as other writers do. Parameter: keys. */
  deleteMany(): Sql {
    return this.#once(
      'deleteMany',
      () => `DELETE FROM ${this.#table} AS r USING
        (SELECT k FROM ${this.#table} WHERE k = ANY($1) ORDER BY k FOR UPDATE) AS locked WHERE r.k = locked.k
        RETURNING CASE WHEN ${live} THEN ${keyText} END`,
    )
  }

  /** Parameters: key, known version. */
  deleteVersion(): Sql {
    return this.#decided(
      'deleteVersion',
      () => `DELETE FROM ${this.#table} AS r ${matching('version')} RETURNING 1 AS told, r.expires_at`,
    )
  }

  /** Change the expiry; tells the version. Parameters: key, known version (any bytes for `any`), expiry. */
  touch(match: Match): Sql {
    return this.#decided(
      `touch ${match}`,
      () =>
        `UPDATE ${this.#table} AS r SET expires_at = $3 ${matching(match)} RETURNING ${versionText} AS told, r.expires_at`,
    )
  }

  /** Add, or insert; tells the sum and the expiry. Parameters: key, version, expiry, first value, summand. */
  increment(): Sql {
    return this.#decided('increment', () => {
      const { counter, countable, body, text } = this.#counter
      // One look at the clock for value and expiry: between two of them the record may expire.
      return `${this.#insert} VALUES ${this.#row} ON CONFLICT (k) DO UPDATE SET (version, value, expires_at) =
        (SELECT excluded.version,
          CASE WHEN d THEN excluded.value ELSE ${body(`${counter} + $5::int8`)} END,
          CASE WHEN d THEN excluded.expires_at ELSE r.expires_at END
          FROM (SELECT ${dead} AS d OFFSET 0) AS once)
        WHERE ${dead} OR ${countable('$5::int8')} RETURNING ${text} AS told, r.expires_at`
    })
  }

  /** Add to what is there; tells the sum and the expiry. Parameters: key, known version (any bytes for `any`), version, summand. */
  incrementExisting(match: Match): Sql {
    return this.#decided(`incrementExisting ${match}`, () => {
      const { counter, countable, body, text } = this.#counter
      return `UPDATE ${this.#table} AS r SET version = $3, value = ${body(`${counter} + $4::int8`)}
        ${matching(match)} AND ${countable('$4::int8')} RETURNING ${text} AS told, r.expires_at`
    })
  }

  /**
   * Delete expired records that no other statement is writing: it waits for no lock, so it is part of no
   * deadlock. Parameter: the most rows.
   */
  sweep(): Sql {
    return this.#once(
      'sweep',
      () => `WITH gone AS (SELECT k FROM ${this.#table}
        WHERE expires_at <= (SELECT floor(${now})::int8) LIMIT $1 FOR UPDATE SKIP LOCKED)
        DELETE FROM ${this.#table} AS r USING gone WHERE r.k = gone.k`,
    )
  }

  /**
   * Changes that are done together, or none. Rows are locked in the order of their keys, as other writers do; the versions that count are those of the
   * locked rows. Parameters: key and version of each record that must have one; key, version, expiry (-1: kept) and value of each
   * replacement; the same of each new record; keys of deletes. Answers whether they were done. A new record that another makes
   * meanwhile is a division by zero. There are no arrays: of their length the server knows nothing, and plans anew each time.
   */
  together({ held, replaced, made, removed }: TogetherCounts): Sql {
    const size = held + replaced + made + removed
    const make = (): string => this.#together({ held, replaced, made, removed })
    return size > mostNamed
      ? { text: make() }
      : this.#once(`together ${held} ${replaced} ${made} ${removed}`, make)
  }

  #together({ held, replaced, made, removed }: TogetherCounts): string {
    let count = 0
    const list = (rows: number, types: readonly string[]): string[] =>
      Array.from({ length: rows }, () => `(${types.map((type) => `$${++count}::${type}`).join(', ')})`)
    const row = ['bytea', 'bytea', 'int8', this.#documents ? 'text' : 'bytea']
    const [wanted, replacements] = [list(held, ['bytea', 'bytea']), list(replaced, row)]
    const firstMade = count
    const news = list(made, row)
    const absent = Array.from({ length: made }, (_, i) => `$${firstMade + 4 * i + 1}`)
    const value = this.#documents ? 'c.value::jsonb' : 'c.value'
    const holds = '(SELECT holds FROM decided)'
    const steps = [
      replaced > 0 &&
        `replaced AS (UPDATE ${this.#table} AS r SET version = c.version, value = ${value},
          expires_at = CASE WHEN c.expires_at = -1 THEN r.expires_at ELSE c.expires_at END
          FROM (VALUES ${replacements.join(', ')}) AS c (k, version, expires_at, value) WHERE r.k = c.k AND ${holds})`,
      made > 0 &&
        `made AS (${this.#insert} SELECT c.k, c.version, c.expires_at, ${value}
          FROM (VALUES ${news.join(', ')}) AS c (k, version, expires_at, value)
          WHERE ${holds} ON CONFLICT (k) DO UPDATE SET version = excluded.version, value = excluded.value,
            expires_at = CASE WHEN ${dead} THEN excluded.expires_at ELSE 1 / (octet_length(r.k) * 0) END)`,
      removed > 0 &&
        `removed AS (DELETE FROM ${this.#table} AS r WHERE r.k IN (${list(removed, ['bytea']).join(', ')}) AND ${holds})`,
    ].filter((step) => step !== false)
    const isHeld = `(SELECT count(*) FROM held) = ${held}`
    const conditions = [
      held > 0 && isHeld,
      made > 0 &&
        `NOT EXISTS (SELECT FROM ${this.#table} AS r WHERE r.k IN (${absent.join(', ')}) AND ${live})`,
    ].filter((condition) => condition !== false)
    const locked = `held AS MATERIALIZED (SELECT r.k FROM (VALUES ${wanted.join(', ')}) AS wanted (k, version)
        JOIN ${this.#table} AS r ON r.k = wanted.k WHERE r.version = wanted.version AND ${live}
        ORDER BY r.k FOR UPDATE OF r),`
    return `WITH ${held > 0 ? locked : ''}
      decided AS MATERIALIZED (SELECT ${conditions.join(' AND ')} AS holds),
      ${steps.join(', ')} SELECT holds FROM decided`
  }

  get #insert(): string {
    return `INSERT INTO ${this.#table} AS r (k, version, expires_at, value)`
  }

  get #row(): string {
    return `($1::bytea, $2::bytea, $3::int8, ${this.#value})`
  }

  /** Documents come as text, as JSONB has a binary form of its own. */
  get #value(): string {
    return this.#documents ? '$4::text::jsonb' : '$4::bytea'
  }

  /** How a value counts: the number (null for no counter), whether it stays safe, and back. */
  get #counter(): Counter {
    return this.#documents ? documentCounter : bytesCounter
  }

  #bodyOf(kind: ReadKind, known: string): string {
    // Whether there is none: then the record makes no sense.
    if (kind === 'head') return `CASE WHEN r.value IS NULL THEN ${this.#nothing} END`
    return kind === 'value' ? this.#body : `CASE WHEN r.version = ${known} THEN NULL ELSE ${this.#body} END`
  }

  /**
   * A change that says what it met: the version found, what it tells (null: not done), the counter found, and the expiry
   * that the record has after the change.
   */
  #decided(name: string, change: () => string): Sql {
    return this.#once(
      name,
      () => `WITH found AS (SELECT ${versionText} AS version, ${this.#counter.counter} AS counter
          FROM ${this.#table} AS r WHERE r.k = $1 AND ${live}),
        done AS (${change()})
        SELECT (SELECT version FROM found), (SELECT told FROM done), (SELECT counter FROM found),
          (SELECT expires_at FROM done)`,
    )
  }

  get #nothing(): string {
    return this.#binary && !this.#documents ? "''::bytea" : "''"
  }

  /** Statements that answer records. */
  #reading(name: string, make: () => string): Sql {
    return this.#once(name, make, this.#binary)
  }

  #once(name: string, make: () => string, isBinary = false): Sql {
    let sql = this.#made.get(name)
    if (sql === undefined) {
      const text = make()
      this.#made.set(name, (sql = { ...(this.#named && { name: statementName(text) }), text, isBinary }))
    }
    return sql
  }
}

/** The name of a statement: by its text, as stores of several tables may share the connections of a pool. */
export function statementName(text: string): string {
  return `unikv_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}

function onConflict(keepExpiry: boolean): string {
  const expiry = keepExpiry ? `CASE WHEN ${live} THEN r.expires_at END` : 'excluded.expires_at'
  return `ON CONFLICT (k) DO UPDATE SET version = excluded.version, value = excluded.value, expires_at = ${expiry}`
}

function matching(match: Match): string {
  return `WHERE r.k = $1 AND ${match === 'version' ? 'r.version = $2' : '$2::bytea IS NOT NULL'} AND ${live}`
}

interface Counter {
  readonly counter: string
  readonly text: string
  readonly countable: (by: string) => string
  readonly body: (sum: string) => string
}

const decimal = "'^(0|-?[1-9][0-9]{0,15})$'"
const maxSafe = Number.MAX_SAFE_INTEGER

/** `escape` leaves digits as they are and makes of every other byte something that is not a digit. */
const bytesCounter: Counter = counterOf(
  'octet_length(r.value) <= 17',
  "encode(r.value, 'escape')",
  (sum) => `convert_to((${sum})::text, 'UTF8')`,
)

const documentCounter: Counter = counterOf(
  "jsonb_typeof(r.value) = 'number'",
  'r.value::text',
  (sum) => `to_jsonb(${sum})`,
)

/** One condition inside the other: both are cheap only after what stands outside. */
function counterOf(first: string, text: string, body: Counter['body']): Counter {
  const counter = `CASE WHEN ${first} THEN CASE WHEN ${text} ~ ${decimal} THEN ${text}::int8 END END`
  const countable = (by: string): string =>
    `abs(${counter}) <= ${maxSafe} AND abs(${counter} + ${by}) <= ${maxSafe}`
  return { counter: `(${counter})`, text, countable, body }
}
