import { type Sql, statementName } from '../statements.ts'

/** Settings of the statements of groups, beside their table. */
export interface GroupStatementOptions {
  /** Connections keep them prepared. */
  readonly named: boolean
  /** Records are read in the binary form. */
  readonly binary: boolean
  /** Rows that a transaction reads by key are locked. */
  readonly lockReads: boolean
}

/** Most rows of one answer. */
export const mostRows = 2_147_483_647

/**
 * Statements that read groups. They answer the columns of a record: nothing, a number (the place of an asked key), value and key.
 */
export interface GroupReads {
  /** Parameters: group, key. */
  readonly one: Sql
  /** Parameters: groups, keys. */
  readonly many: Sql
  /** Parameters: group, first key, most rows. */
  readonly listFrom: Sql
  /** Parameters: group, first key, most rows, end. */
  readonly listBetween: Sql
}

/** The SQL of the table of groups. */
export class GroupStatements {
  /** Reads of a transaction. Their plans are made inside of one. */
  readonly inside: GroupReads
  /** Reads outside. */
  readonly outside: GroupReads
  readonly begin: Sql
  readonly commit: Sql
  readonly rollback: Sql
  /** Has a transaction read by index: a scan of the table would conflict with writes to all other groups. */
  readonly byIndex: Sql
  /** Answers the number of the transaction. Parameters: group, key, value. */
  readonly upsertOne: Sql
  /** The same for many, in the order given. Parameters: group, keys, values. */
  readonly upsert: Sql
  /** Parameters: group, keys. */
  readonly remove: Sql
  /** The number of the transaction. */
  readonly number: Sql
  /** The process of the server that serves the connection, and when the server started. */
  readonly server: Sql
  /** The fate of a transaction; ends it if it still goes on. Parameters: number, process, start. */
  readonly fate: Sql
  /** Parameters: first name, most rows. */
  readonly namesFrom: Sql
  /** Parameters: first name, most rows, end. */
  readonly namesBetween: Sql
  readonly #named: boolean

  /** `table` is quoted and from the allow-list. */
  constructor(table: string, { named, binary, lockReads }: GroupStatementOptions) {
    this.#named = named
    const name = binary ? 'r.grp' : "encode(r.grp, 'hex')"
    const names = (end: string): string => `SELECT NULL::bytea, NULL::int8, NULL::bytea, ${name} FROM
      (SELECT DISTINCT grp FROM ${table} WHERE grp >= $1${end} ORDER BY grp LIMIT $2) AS r ORDER BY r.grp`
    this.inside = this.#reads(table, binary, ` /* inside */${lockReads ? ' FOR UPDATE OF r' : ''}`)
    this.outside = this.#reads(table, binary, '')
    this.begin = this.#sql('BEGIN ISOLATION LEVEL SERIALIZABLE')
    this.commit = this.#sql('COMMIT')
    this.rollback = this.#sql('ROLLBACK')
    this.byIndex = this.#sql('SET LOCAL enable_seqscan = off')
    const replacing = 'ON CONFLICT (grp, k) DO UPDATE SET value = excluded.value RETURNING txid_current()'
    this.upsertOne = this.#sql(`INSERT INTO ${table} (grp, k, value) VALUES ($1, $2, $3) ${replacing}`)
    this.upsert = this.#sql(`INSERT INTO ${table} (grp, k, value)
      SELECT $1::bytea, k, value FROM unnest($2::bytea[], $3::bytea[]) AS rows (k, value) ${replacing}`)
    this.remove = this.#sql(`DELETE FROM ${table} WHERE grp = $1 AND k = ANY($2)`)
    this.number = this.#sql('SELECT txid_current()')
    this.server = this.#sql(`SELECT pg_backend_pid(), ${startedAt}`)
    this.fate = this.#sql(`SELECT ${startedAt} = $3, txid_status($1::int8),
      (SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid = $2::int4 AND backend_xid::text::int8 = $1::int8 & 4294967295)`)
    this.namesFrom = this.#sql(names(''), binary)
    this.namesBetween = this.#sql(names(' AND grp < $3'), binary)
  }

  /** `end` follows reads by key; a list is locked by no row, as it is the gaps that count. */
  #reads(table: string, binary: boolean, end: string): GroupReads {
    const value = binary ? 'r.value' : "encode(r.value, 'base64')"
    const key = binary ? 'r.k' : "encode(r.k, 'hex')"
    const list = (
      before: string,
    ): string => `SELECT NULL::bytea, NULL::int8, ${value}, ${key} FROM ${table} AS r
      WHERE r.grp = $1 AND r.k >= $2${before} ORDER BY r.k LIMIT $3${end.replace(/ FOR .*/, '')}`
    const one = `SELECT NULL::bytea, 1::int8, ${value}, ${key} FROM ${table} AS r WHERE r.grp = $1 AND r.k = $2`
    const many = `SELECT NULL::bytea, asked.place, ${value}, ${key}
      FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS asked (grp, k, place)
      JOIN ${table} AS r ON r.grp = asked.grp AND r.k = asked.k`
    return {
      one: this.#sql(one + end, binary),
      many: this.#sql(many + end, binary),
      listFrom: this.#sql(list(''), binary),
      listBetween: this.#sql(list(' AND r.k < $4'), binary),
    }
  }

  #sql(text: string, isBinary = false): Sql {
    return { ...(this.#named && { name: statementName(text) }), text, isBinary }
  }
}

/** As a number, which no setting of a connection prints otherwise. */
const startedAt = 'extract(epoch FROM pg_postmaster_start_time())::text'
