import { type Bytes, type KeyValue, StoreError } from '@unikv/core'
import type { Histories } from '../histories.ts'
import { cassandra } from './cassandra.ts'
import { mongodb } from './mongodb.ts'
import { mysql } from './mysql.ts'
import { postgres } from './postgres.ts'
import { redis } from './redis.ts'

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

type Opener = (native: unknown, table: NativeTable) => NativeHistories

const openers: Readonly<Record<string, Opener>> = { cassandra, mongodb, mysql, postgres, redis }

/**
 * Histories by the statements of the store itself.
 *
 * @throws {StoreError} `UNSUPPORTED` for a store without them
 */
export function nativeHistories(
  { name, native }: KeyValue<string, Bytes>,
  table: NativeTable,
): NativeHistories {
  const open = Object.hasOwn(openers, name) ? openers[name] : undefined
  if (open !== undefined) return open(native, table)
  const message = `ehr({ style: 'native' }) has no statements for ${name}; it has some for ${Object.keys(openers).join(', ')}.`
  throw new StoreError('UNSUPPORTED', message)
}
