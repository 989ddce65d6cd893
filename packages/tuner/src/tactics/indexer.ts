import type { Query } from '@unikv/monitor'

/** Indexes of one product: the part of the index tactics that differs. */
export interface Indexer {
  /** Whether an index is built while writes go on, in words for the owner. */
  readonly how: string
  /**
   * Latency of a write with one more index, over before. Measured by one client that sets new documents of 140 bytes on two tables in
   * turns, 20 each, of which one has an index on a text of 4 to 6 characters: the median of six rounds (three for MongoDB and
   * Cassandra) of the ratio of medians, on two cores of a shared machine, with 100,000 records there (2,000 on MongoDB, CouchDB and
   * Cassandra). Single rounds were between 0.9 and 1.4. MongoDB and CouchDB were the stand-ins of the tests.
   */
  readonly writeFactor: number
  /** Look at a table. Changes nothing. */
  look(native: unknown, table: string): Promise<TableFacts>
  /** Queries on a table, as the server tells them. @default it does not tell */
  told?(native: unknown, table: string): Promise<readonly ToldQuery[]>
  /** Make an index, or go on with one that was begun, and wait until it can be used. */
  create(native: unknown, index: IndexPlan, signal: AbortSignal): Promise<void>
  /** Remove an index; one that is not there is a success. */
  drop(native: unknown, index: IndexPlan, signal: AbortSignal): Promise<void>
}

/** An index to make or to drop. */
export interface IndexPlan {
  readonly name: string
  readonly table: string
  readonly by: readonly string[]
}

/** A table or collection as it is. */
export interface TableFacts {
  /** Estimated. */
  readonly records: number
  readonly bytes?: number | undefined
  /** Why no index can be made here, such as a right that this user lacks: a whole sentence. */
  readonly denied?: string | undefined
  /** The attributes that can have an index, if not all can. */
  readonly only?: Only | undefined
  readonly indexes: readonly IndexFacts[]
}

/** A kind of query that the server has seen, from all its clients. */
export interface ToldQuery {
  readonly by: readonly string[]
  /** Since the server counts. */
  readonly callsPerSecond: number
  readonly meanMs: number
}

/** The attributes of which an index may be made. */
export interface Only {
  readonly attributes: readonly string[]
  /** Most attributes of one index. @default any number */
  readonly most?: number | undefined
  /** Why no others: a whole sentence. @default that the table has no such column */
  readonly why?: string | undefined
}

/** An index that is there. */
export interface IndexFacts {
  readonly name: string
  /** Attributes in their order; those of an expression that is not understood are `?`. */
  readonly by: readonly string[]
  /** Whether it can be used: not half built. */
  readonly isValid: boolean
  /** It belongs to the key or to a constraint, or `create` could not make it again as it is: never dropped. */
  readonly isOfKey: boolean
  /** How often it was used since the server counts; `undefined`: it does not tell. */
  readonly uses?: number | undefined
  readonly bytes?: number | undefined
}

/** The table of a query, which may be another one than that of the store: if its place is not named, it is beside it. */
export function tableOf({ in: named }: Query, table: string): string {
  if (named === undefined) return table
  const [place, ...rest] = table.split('.')
  return named.includes('.') || rest.length === 0 ? named : `${place}.${named}`
}

/** The place of a table, such as its schema, if it is named; and its own name. */
export function partsOf(table: string): readonly [place: string | undefined, name: string] {
  const at = table.indexOf('.')
  return at === -1 ? [undefined, table] : [table.slice(0, at), table.slice(at + 1)]
}

/** The reason why these attributes cannot have an index. */
export function refusalOf(
  table: string,
  { denied, only }: TableFacts,
  by: readonly string[],
): string | undefined {
  if (denied !== undefined || only === undefined) return denied
  const { attributes, most = by.length, why } = only
  const missing = by.filter((name) => !attributes.includes(name))
  if (by.length <= most && missing.length === 0) return undefined
  return why ?? `${table} has no column ${missing.join(', ')}.`
}

/** Name of an index that a tuner makes: known again, and at most 63 characters long. */
export function indexName(table: string, by: readonly string[]): string {
  const text = `${table}_${by.join('_')}`.replace(/\W/g, '_').toLowerCase()
  let hash = 0
  for (const char of `${table}:${by.join(',')}`) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0
  return `unikv_tune_${text.slice(0, 42)}_${hash.toString(36)}`
}

/** Whether an index serves a query by these attributes: they are its first ones, in any order. */
export function serves(index: IndexFacts, by: readonly string[]): boolean {
  const first = index.by.slice(0, by.length)
  return index.isValid && by.every((name) => first.includes(name))
}
