import { type Bytes, isLive, isStoreError, type Page, type ScanEntry, type ScanRange } from '@unikv/core'
import { boundsBeyond, byteBounds, type KeyBounds } from '@unikv/core/adapter'
import type { LmdbDatabase, LmdbRange, LmdbSnapshot } from './client/lmdb-client.ts'
import { entryOf, RecordView } from './record-view.ts'

/**
 * One page of a range: as many records as it may hold, less those that are expired. Where it ends is a key, so
 * that a key that lives throughout a scan is listed once, for any changes between two pages.
 */
export function pageOf(
  database: LmdbDatabase,
  range: ScanRange,
  { transaction }: LmdbSnapshot,
  now: number,
  onExpired: (key: string) => void,
): Page<Bytes> {
  const { pageSize: limit, values, reverse = false } = range
  let bounds = byteBounds(range, range.resume === undefined ? undefined : Buffer.from(range.resume))
  if (bounds.end !== undefined && Buffer.compare(bounds.start, bounds.end) >= 0) return { entries: [] }
  transaction.renew()
  while (true) {
    const part = { ...(reverse ? reversed(bounds) : bounds), limit, transaction }
    const { entries, count, last, met } = listed(database.getRange(part), values, now, onExpired)
    if (count < limit) return { entries }
    if (last !== undefined) return { entries, resume: last }
    // Nothing but keys of others, which are not listed.
    bounds = boundsBeyond(met, bounds, reverse)
  }
}

/** The part of a database from the end to the start: lmdb-js counts both from where it begins. */
function reversed({ start, end }: KeyBounds<Buffer>): LmdbRange {
  return { start: end, end: start, reverse: true, exclusiveStart: true, inclusiveEnd: true }
}

/** The result of some records: how many they were, the last key of ours, and the last of others. */
function listed(
  records: ReturnType<LmdbDatabase['getRange']>,
  values: boolean,
  now: number,
  onExpired: (key: string) => void,
) {
  const entries: ScanEntry<Bytes>[] = []
  let count = 0
  let last: string | undefined
  let met = Buffer.alloc(0)
  for (const { key: bytes, value } of records) {
    count++
    const key = textOf(bytes)
    if (key === undefined) {
      // Not one of ours: keys are text.
      met = Buffer.from(bytes)
      continue
    }
    last = key
    const entry = entryIn(value, now)
    if (entry === undefined) onExpired(key)
    else entries.push(values ? { key, entry } : { key })
  }
  return { entries, count, last, met }
}

/** The entry, or the error of a record that is damaged; `undefined`: it is expired. */
function entryIn(value: Buffer, now: number) {
  try {
    const view = new RecordView(value)
    return isLive(view.expiresAt, now) ? entryOf(view) : undefined
  } catch (error) {
    if (isStoreError(error)) return error
    throw error
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = buffer.toString()
  return Buffer.from(text).equals(buffer) ? text : undefined
}
