import {
  afterPrefix,
  type Bytes,
  isEntry,
  isStoreError,
  type Page,
  type ScanEntry,
  type ScanRange,
} from '@unikv/core'
import type { LmdbDatabase } from './lmdb-client.ts'
import { readRecord } from './read-record.ts'

/** Pages in byte order, each a look of its own at the file: whoever lives throughout appears once. */
export function* scanPages(
  look: () => LmdbDatabase,
  range: ScanRange,
  clock: () => number,
): Generator<Page<Bytes>> {
  const end = smaller(bound(range.lt), bound(afterPrefix(range.prefix)))
  let start = larger(larger(Buffer.from(range.prefix), bound(range.gte)), after(range.resume))
  while (true) {
    const database = look()
    const keys = keysFrom(database, start, end, range.pageSize)
    const entries = keys.flatMap((key) => entryOf(database, key, range.values, clock()))
    const last = keys.at(-1)
    if (last === undefined || keys.length < range.pageSize) {
      yield { entries }
      return
    }
    yield { entries, resume: last }
    start = after(last) as Buffer
  }
}

function keysFrom(database: LmdbDatabase, start: Buffer, end: Buffer | undefined, limit: number): string[] {
  const range = { start, limit, ...(end === undefined ? {} : { end }) }
  return Array.from(database.getKeys(range), (key) => Buffer.from(key).toString())
}

function entryOf(
  database: LmdbDatabase,
  key: string,
  values: boolean,
  now: number,
): readonly ScanEntry<Bytes>[] {
  const found = readRecord(database, { key, head: !values }, now)
  if (found === undefined || found === 'expired') return []
  if (isStoreError(found) || isEntry(found)) return [{ key, entry: found }]
  return [{ key }]
}

function bound(key: string | undefined): Buffer | undefined {
  return key === undefined ? undefined : Buffer.from(key)
}

/** The first key that sorts behind this one. */
function after(key: string | undefined): Buffer | undefined {
  return key === undefined ? undefined : Buffer.concat([Buffer.from(key), Buffer.from([0])])
}

function larger(a: Buffer, b: Buffer | undefined): Buffer {
  return b !== undefined && Buffer.compare(b, a) > 0 ? b : a
}

function smaller(a: Buffer | undefined, b: Buffer | undefined): Buffer | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return Buffer.compare(a, b) < 0 ? a : b
}
