import { isUtf8 } from 'node:buffer'
import type { CallOptions, Page, ScanEntry, ScanRange } from '@unikv/core'
import { afterPrefix, compareKeys } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import type { FoundRecord } from './found-record.ts'
import { resultOf } from './read.ts'

/**
 * Pages in the order of key bytes: each statement starts after the last key of the one before, so that a key which
 * lives throughout comes exactly once, whatever is written meanwhile.
 */
export async function* scanPages<V>(
  { connections, statements, form }: Backend<V>,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<V>> {
  const { pageSize, values } = range
  const end = endOf(range)
  const sql = statements.page(values, end !== undefined)
  for (let start: Buffer | undefined = startOf(range); start !== undefined; ) {
    const parameters = [start, pageSize, ...(end === undefined ? [] : [end])]
    const records: readonly FoundRecord[] = await connections.records(sql, parameters, call)
    const keys = records.map(({ key }) => Buffer.from(key, 'latin1'))
    const last = records.length < pageSize ? undefined : keys.at(-1)
    start = last === undefined ? undefined : after(last)
    yield { entries: entriesOf(records, keys, values, form), resume: last?.toString('base64url') }
  }
}

/** A key that is no text was not written by us. */
function entriesOf<V>(
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
  const result = resultOf(found, form, 'value')
  return 'notModified' in result ? undefined : result
}

function startOf({ prefix, gte, resume }: ScanRange): Buffer {
  const first = Buffer.from(gte === undefined || compareKeys(gte, prefix) < 0 ? prefix : gte)
  if (resume === undefined) return first
  // A cursor comes from outside: it leads to no key before the range.
  const next = after(Buffer.from(resume, 'base64url'))
  return Buffer.compare(next, first) > 0 ? next : first
}

function endOf({ prefix, lt }: ScanRange): Buffer | undefined {
  const beyond = afterPrefix(prefix)
  const end = beyond === undefined || (lt !== undefined && compareKeys(lt, beyond) < 0) ? lt : beyond
  return end === undefined ? undefined : Buffer.from(end)
}

/** The smallest bytes above a key. */
function after(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)])
}
