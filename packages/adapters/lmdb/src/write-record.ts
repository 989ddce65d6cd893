import {
  type Bytes,
  type Entry,
  encodeRecord,
  incremented,
  isEntry,
  isNotModified,
  isStoreError,
  type Mutation,
  type NotModified,
  type WriteResult,
} from '@unikv/core'
import type { LmdbDatabase } from './lmdb-client.ts'
import { readRecord } from './read-record.ts'

/** Apply one mutation inside a write transaction, which sees what came before it in its batch. */
export function writeRecord(database: LmdbDatabase, mutation: Mutation<Bytes>, now: number): WriteResult {
  const { key, version, ifVersion, type } = mutation
  if (type === 'set' && ifVersion === undefined && mutation.expiresAt !== 'keep') {
    put(database, key, mutation.value, version, mutation.expiresAt)
    return { version }
  }
  const found = readRecord(database, { key, head: type === 'set' || type === 'delete' }, now)
  // A delete without a condition may remove what is no record of this library: it is in this dataset.
  if (isStoreError(found) && (type !== 'delete' || ifVersion !== undefined)) return found
  const there = found === 'expired' || isStoreError(found) ? undefined : found
  if (ifVersion !== undefined && ifVersion !== (there?.version ?? null))
    return { conditionFailed: true, version: there?.version }
  return change(database, mutation, there)
}

function change(
  database: LmdbDatabase,
  mutation: Mutation<Bytes>,
  there: Entry<Bytes> | NotModified | undefined,
): WriteResult {
  const { key, version } = mutation
  switch (mutation.type) {
    case 'set':
      put(
        database,
        key,
        mutation.value,
        version,
        mutation.expiresAt === 'keep' ? there?.expiresAt : mutation.expiresAt,
      )
      return { version }
    case 'delete':
      void database.remove(Buffer.from(key))
      return { version }
    case 'touch': {
      if (!isEntry<Bytes>(there)) return { conditionFailed: true }
      put(database, key, there.value, there.version as string, mutation.expiresAt)
      return { version: there.version }
    }
    case 'increment': {
      const entry = isNotModified(there) ? undefined : there
      const value = incremented(entry?.value, mutation)
      if (typeof value !== 'number') return value
      put(
        database,
        key,
        Buffer.from(String(value)),
        version,
        entry === undefined ? mutation.expiresAt : entry.expiresAt,
      )
      return { version, value }
    }
  }
}

function put(
  database: LmdbDatabase,
  key: string,
  value: Bytes,
  version: string,
  expiresAt: number | undefined,
): void {
  // Inside a transaction it is done at once; the promise is only another form of the same answer.
  void database.put(Buffer.from(key), encodeRecord(value, version, expiresAt))
}
