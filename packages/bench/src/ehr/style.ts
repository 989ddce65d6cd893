import { randomUUID } from 'node:crypto'
import { type Bytes, type KeyValue, StoreError } from '@unikv/core'
import { entityHistories } from './entity-histories.ts'
import { type Histories, histories } from './histories.ts'
import { cassandra } from './native/cassandra.ts'
import { mongodb } from './native/mongodb.ts'
import { mysql } from './native/mysql.ts'
import type { NativeHistories, NativeTable } from './native/native-table.ts'
import { postgres } from './native/postgres.ts'
import { redis } from './native/redis.ts'

type Opener = (native: unknown, table: NativeTable) => NativeHistories

const openers: Readonly<Record<string, Opener>> = { cassandra, mongodb, mysql, postgres, redis }

/**
 * Histories by the statements of the store itself.
 *
 * @throws {StoreError} `UNSUPPORTED` for a store without them
 */
function nativeHistories({ name, native }: KeyValue<string, Bytes>, table: NativeTable): NativeHistories {
  const open = Object.hasOwn(openers, name) ? openers[name] : undefined
  if (open !== undefined) return open(native, table)
  const message = `ehr({ style: 'native' }) has no statements for ${name}; it has some for ${Object.keys(openers).join(', ')}.`
  throw new StoreError('UNSUPPORTED', message)
}

/** How observations are kept. */
export interface EhrStyle {
  readonly style: 'key-value' | 'entities' | 'native'
  /** The keyspace of Cassandra, or the database of MongoDB. */
  readonly database: string
}

/** The key that holds the name of the native table, for all callers and threads. */
const tableKey = 'native table'

/** Histories that are ready to be filled. */
export async function preparedHistories(
  kv: KeyValue<string, Bytes>,
  { style, database }: EhrStyle,
): Promise<Histories> {
  if (style !== 'native') return unprepared(kv, style)
  const name = `unikv_ehr_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  const made = nativeHistories(kv, { name, database })
  await kv.set(tableKey, Buffer.from(name))
  await made.prepare()
  return made
}

/** Histories that were prepared. */
export async function openedHistories(kv: KeyValue<string, Bytes>, style: EhrStyle): Promise<Histories> {
  return style.style === 'native' ? opened(kv, style) : unprepared(kv, style.style)
}

/** Remove what does not stand in the namespace of the run. */
export async function removeHistories(kv: KeyValue<string, Bytes>, style: EhrStyle): Promise<void> {
  if (style.style === 'native') await (await opened(kv, style)).remove()
}

function unprepared(kv: KeyValue<string, Bytes>, style: 'key-value' | 'entities'): Histories {
  return style === 'entities' ? entityHistories(kv) : histories(kv)
}

async function opened(kv: KeyValue<string, Bytes>, { database }: EhrStyle): Promise<NativeHistories> {
  const name = await kv.get(tableKey)
  if (name === undefined)
    throw new StoreError('INVALID_ARGUMENT', 'The table of ehr() is not there: it was not set up.')
  return nativeHistories(kv, { name: Buffer.from(name).toString(), database })
}
