/** Which columns a read wants. */
export type Columns = 'head' | 'full'

/** The CQL of one table. */
export interface Statements {
  readonly read: Readonly<Record<Columns, string>>
  readonly scan: Readonly<Record<Columns, string>>
}

/** Without conditions a record is one cell, so that of two writes of one microsecond one wins as a whole. */
export interface PlainStatements extends Statements {
  /** Key, record. */
  readonly set: string
  /** Key, record, seconds to live. */
  readonly setExpiring: string
  /** Key. */
  readonly delete: string
}

/** With conditions the server compares columns, by its own clock. */
export interface ConditionalStatements extends Statements {
  /** Seconds to live, version, expiry, value, key, and what the condition compares with. */
  readonly set: Readonly<Record<Condition, string>>
  /** Key, and what the condition compares with. */
  readonly delete: Readonly<Record<'exists' | 'version', string>>
}

/** Under which condition a record is replaced. */
export type Condition = keyof typeof conditions

const conditions = {
  /** Always true, as no version is empty: every write to the table has to be a transaction. */
  always: 'version != 0x',
  absent: 'version = NULL',
  expired: 'version = ? AND expires_at <= toTimestamp(now())',
  version: 'version = ? AND expires_at > toTimestamp(now())',
  /** Version and expiry are what was read, live or not. */
  same: 'version = ? AND expires_at = ?',
} as const

/** The statements of a table without conditions. */
export function plainStatements(table: string): PlainStatements {
  return {
    ...selects(table, 'record.'),
    // A table may have a time to live of its own: none is named, too.
    set: `INSERT INTO ${table} (k, record) VALUES (?, ?) USING TTL 0`,
    setExpiring: `INSERT INTO ${table} (k, record) VALUES (?, ?) USING TTL ?`,
    delete: `DELETE FROM ${table} WHERE k = ?`,
  }
}

/** The statements of a table with conditions. UPDATE alone: an INSERT would leave a row that outlives its columns. */
export function conditionalStatements(table: string): ConditionalStatements {
  const set = (condition: Condition): string =>
    `UPDATE ${table} USING TTL ? SET version = ?, expires_at = ?, value = ? WHERE k = ? IF ${conditions[condition]}`
  return {
    ...selects(table, ''),
    set: {
      always: set('always'),
      absent: set('absent'),
      expired: set('expired'),
      version: set('version'),
      same: set('same'),
    },
    delete: {
      exists: `DELETE FROM ${table} WHERE k = ? IF EXISTS`,
      version: `DELETE FROM ${table} WHERE k = ? IF ${conditions.version}`,
    },
  }
}

function selects(table: string, at: 'record.' | ''): Statements {
  const head = `${at}version AS version, ${at}expires_at AS expires_at, toTimestamp(now()) AS now`
  const full = `${head}, ${at}value AS value`
  return {
    read: {
      head: `SELECT ${head} FROM ${table} WHERE k = ?`,
      full: `SELECT ${full} FROM ${table} WHERE k = ?`,
    },
    scan: { head: `SELECT k, ${head} FROM ${table}`, full: `SELECT k, ${full} FROM ${table}` },
  }
}
