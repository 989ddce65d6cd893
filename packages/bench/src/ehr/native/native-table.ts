import type { Histories } from '../histories.ts'

/** Histories in tables of the store's own, which a program without unikv would have. */
export interface NativeHistories extends Histories {
  /** Make the table. */
  prepare(): Promise<unknown>
  /** Remove the table. */
  remove(): Promise<unknown>
}

/** Where a table is. */
export interface NativeTable {
  /** Letters, digits and `_`. */
  readonly name: string
  /** The keyspace of Cassandra, or the database of MongoDB. */
  readonly database: string
}
