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
  const { pageSize, values, reverse = false } = range
  for (let bounds: Bounds | undefined = boundsOf(range); bounds !== undefined; ) {
    const { start, end } = bounds
    const sql = statements.page(values, end !== undefined, reverse)
    const parameters = [start, pageSize, ...(end === undefined ? [] : [end])]
    const records: readonly FoundRecord[] = await connections.records(sql, parameters, call)
    const keys = records.map(({ key }) => Buffer.from(key, 'latin1'))
    const last = records.length < pageSize ? undefined : keys.at(-1)
    bounds = last === undefined ? undefined : beyond(last, bounds, reverse)
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

/** The keys that are left to list. */
interface Bounds {
  readonly start: Buffer
  /** Exclusive; `undefined`: none. */
  readonly end: Buffer | undefined
}

function boundsOf({ prefix, gte, lt, resume, reverse = false }: ScanRange): Bounds {
  const start = Buffer.from(gte === undefined || compareKeys(gte, prefix) < 0 ? prefix : gte)
  const next = afterPrefix(prefix)
  const end = next === undefined || (lt !== undefined && compareKeys(lt, next) < 0) ? lt : next
  const whole = { start, end: end === undefined ? undefined : Buffer.from(end) }
  return resume === undefined ? whole : beyond(Buffer.from(resume, 'base64url'), whole, reverse)
}

/** What follows a key in the direction of the listing. A cursor comes from outside: it leads to no key out of the bounds. */
function beyond(key: Buffer, { start, end }: Bounds, reverse: boolean): Bounds {
  if (reverse) return { start, end: end === undefined || Buffer.compare(key, end) < 0 ? key : end }
  const next = Buffer.concat([key, smallestStep])
  return { start: Buffer.compare(next, start) > 0 ? next : start, end }
}

/** Key and this: the smallest bytes above the key. */
const smallestStep = Buffer.alloc(1)
