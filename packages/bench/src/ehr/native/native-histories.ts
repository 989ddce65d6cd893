import { type Bytes, type KeyValue, StoreError } from '@unikv/core'
import { cassandra } from './cassandra.ts'
import { mongodb } from './mongodb.ts'
import { mysql } from './mysql.ts'
import type { NativeHistories, NativeTable } from './native-table.ts'
import { postgres } from './postgres.ts'
import { redis } from './redis.ts'

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
