import { isUtf8 } from 'node:buffer'
import {
  type Bytes,
  type CallOptions,
  isStoreError,
  type Page,
  type ScanEntry,
  type ScanRange,
} from '@unikv/core'
import type { Backend } from './backend.ts'
import { scanConsistency } from './client/consistency.ts'
import { readOptions } from './client/query-options.ts'
import { odd, rowsOf } from './client/replies.ts'
import { type Row, resultOf } from './row.ts'

/**
 * Pages in the order of tokens, which are hashes of keys: each starts after the last key of the one before, so that a key
 * which lives throughout comes exactly once. The whole table is walked, for any prefix.
 */
export async function* scanPages(
  { session, statements, settings }: Backend,
  { prefix, resume, pageSize, values }: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  const cql = statements.scan[values ? 'full' : 'head']
  const consistency = scanConsistency(settings, call.consistency)
  const start = Buffer.from(prefix)
  for (let pageState = resume; ; ) {
    const particulars = {
      ...consistency,
      fetchSize: pageSize,
      ...(pageState === undefined ? {} : { pageState }),
    }
    const options = readOptions(particulars, session.timers.next(call))
    const page = await session.read({ cql, params: [], options }, call)
    const rows = rowsOf(page, Number.POSITIVE_INFINITY)
    if (isStoreError(rows)) throw rows
    if (!rows.every((row) => Buffer.isBuffer((row as KeyedRow).k))) throw odd(false)
    pageState = page.pageState ?? undefined
    yield { entries: entriesOf(rows as readonly KeyedRow[], start, values), resume: pageState }
    if (pageState === undefined) return
  }
}

interface KeyedRow extends Row {
  readonly k: Buffer
}

function entriesOf(rows: readonly KeyedRow[], prefix: Buffer, values: boolean): readonly ScanEntry<Bytes>[] {
  const entries: ScanEntry<Bytes>[] = []
  for (const row of rows) {
    // A key that is not text was not written by us.
    if (!row.k.subarray(0, prefix.length).equals(prefix) || !isUtf8(row.k)) continue
    const found = resultOf(row)
    if (found === undefined) continue
    const key = row.k.toString()
    entries.push(values ? { key, entry: valueOf(found) } : { key })
  }
  return entries
}

function valueOf(found: Exclude<ReturnType<typeof resultOf>, undefined>): ScanEntry<Bytes>['entry'] {
  return isStoreError(found) || 'value' in found ? found : undefined
}
