import { type Bytes, isLive, isStoreError, type Page, type ScanEntry, type ScanRange } from '@unikv/core'
import { afterPrefix, compareKeys } from '@unikv/core/adapter'
import type { LmdbDatabase, LmdbSnapshot } from './lmdb-client.ts'
import { entryOf, RecordView } from './record-view.ts'

/**
 * One page of a range: as many records as it may hold, less those that are expired. Where it ends is a key, so
 * that a key that lives throughout a scan is listed once, whatever comes and goes between two pages.
 */
export function pageOf(
  database: LmdbDatabase,
  range: ScanRange,
  { transaction }: LmdbSnapshot,
  now: number,
  onExpired: (key: string) => void,
): Page<Bytes> {
  const { start, end } = boundsOf(range)
  if (end !== undefined && Buffer.compare(start, end) >= 0) return { entries: [] }
  transaction.renew()
  const part = { start, limit: range.pageSize, transaction, ...(end === undefined ? {} : { end }) }
  const entries: ScanEntry<Bytes>[] = []
  let count = 0
  let last = ''
  for (const { key: bytes, value } of database.getRange(part)) {
    count++
    const key = textOf(bytes)
    // Not one of ours: keys are text.
    if (key === undefined) continue
    last = key
    const entry = entryIn(value, now)
    if (entry === undefined) onExpired(key)
    else entries.push(range.values ? { key, entry } : { key })
  }
  return count < range.pageSize ? { entries } : { entries, resume: last }
}

function boundsOf({ prefix, gte, lt, resume }: ScanRange): { start: Buffer; end: Buffer | undefined } {
  const first = gte !== undefined && compareKeys(gte, prefix) > 0 ? gte : prefix
  const next = resume === undefined ? undefined : `${resume}\u0000`
  const start = next !== undefined && compareKeys(next, first) > 0 ? next : first
  const after = prefix === '' ? undefined : afterPrefix(prefix)
  const end = lt !== undefined && (after === undefined || compareKeys(lt, after) < 0) ? lt : after
  return { start: Buffer.from(start), end: end === undefined ? undefined : Buffer.from(end) }
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
