import { isUtf8 } from 'node:buffer'
import type { CallOptions, Page, ScanEntry, ScanRange } from '@unikv/core'
import { boundsBeyond, byteBounds, type KeyBounds } from '@unikv/core/adapter'
import { entryOf } from '@unikv/core/sql-client'
import type { Backend } from './backend.ts'
import type { FoundRecord } from './found-record.ts'

/**
 * Pages in the order of key bytes: each statement starts after the last key of the one before, so that a key which
 * lives throughout comes exactly once, for any writes meanwhile.
 */
export async function* scanPages<V>(
  { connections, statements, form }: Backend<V>,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<V>> {
  const { pageSize, values, reverse = false } = range
  for (
    let bounds: KeyBounds<Buffer> | undefined = byteBounds(range, resumeOf(range));
    bounds !== undefined;
  ) {
    const { start, end } = bounds
    const sql = statements.page(values, end !== undefined, reverse)
    const parameters = [start, pageSize, ...(end === undefined ? [] : [end])]
    const records: readonly FoundRecord[] = await connections.records(sql, parameters, call)
    const keys = records.map(({ key }) => Buffer.from(key, 'latin1'))
    const last = records.length < pageSize ? undefined : keys.at(-1)
    bounds = last === undefined ? undefined : boundsBeyond(last, bounds, reverse)
    yield { entries: entriesOf(records, keys, values, form), resume: last?.toString('base64url') }
  }
}

/** A key that is not text was not written by us. */
export function entriesOf<V>(
  records: readonly FoundRecord[],
  keys: readonly Buffer[],
  values: boolean,
  form: Backend<V>['form'],
): ScanEntry<V>[] {
  const entries: ScanEntry<V>[] = []
  for (const [i, bytes] of keys.entries()) {
    if (!isUtf8(bytes)) continue
    const key = bytes.toString()
    entries.push(values ? { key, entry: valueOf(records[i] as FoundRecord, form) } : { key })
  }
  return entries
}

function valueOf<V>(found: FoundRecord, form: Backend<V>['form']): ScanEntry<V>['entry'] {
  const result = entryOf(found, form, {})
  return 'notModified' in result ? undefined : result
}

function resumeOf({ resume }: ScanRange): Buffer | undefined {
  return resume === undefined ? undefined : Buffer.from(resume, 'base64url')
}
