import type { Bytes, Capabilities, Json, KeyValue, ScanCapability, Store, TtlCapability } from '@unikv/core'

/** Capabilities of every store over a table in an SQL database. */
export interface SqlCapabilities extends Capabilities {
  readonly scan: ScanCapability
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: TtlCapability
  readonly touch: true
  readonly increment: true
}

/** Runs SQL: the client of the adapter, or one behind its back. */
export interface SqlClient {
  /** Run one statement. Resolves to what the client makes of its rows. */
  query(sql: string): Promise<unknown>
}

/** A store over a table; its values are bytes unless it is one of documents. */
export type SqlStore<V = Bytes> = Store<V, SqlCapabilities, SqlClient>

/** A KeyValue over such a store. */
export type SqlKeyValue = KeyValue<string, Bytes, SqlCapabilities>

/** The options that the tests use. Their meaning is that of the adapters. */
export interface SqlOptions {
  readonly url: string | URL
  readonly table?: string
  readonly prepare?: boolean
  readonly maxConnections?: number
  readonly queueLimit?: number
  readonly values?: 'document'
  readonly indexes?: readonly (readonly string[])[]
}

/** Opens a store of bytes over a table. */
export type OpenSql = (options: SqlOptions) => SqlStore

/** Parts of the tests that adapters of SQL databases share, on one server. */
export interface SqlBench {
  /** The address of the server. */
  readonly url: string
  /** A client behind the back of the stores. */
  readonly sql: SqlClient
  /** A table of its own, made now and removed at the end. */
  table(options?: { readonly values?: 'document' }): Promise<string>
  /** A store of bytes that is closed after the test. */
  readonly store: OpenSql
  /** A store of documents that is closed after the test. */
  readonly documents: (
    options: SqlOptions,
  ) => Store<Json, SqlCapabilities & { readonly find: true }, SqlClient>
  /** A store that the test closes: the function of the adapter. */
  readonly open: OpenSql
  /** Makes the table of these options if it is missing: the function of the adapter, whose name errors tell. */
  readonly prepare: (options: SqlOptions) => Promise<void>
}
