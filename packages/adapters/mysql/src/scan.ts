import { isUtf8 } from 'node:buffer'
import type { CallOptions, Page, ScanEntry, ScanRange } from '@unikv/core'
import { afterPrefix, compareKeys } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import type { Parameter } from './client/mysql-client.ts'
import { type Row, resultOf } from './read.ts'

/**
 * Pages in the order of key bytes: each statement starts after the last key of the one before, so that a key which
 * lives throughout comes exactly once, whatever is written meanwhile.
 */
export async function* scanPages<V>(
  backend: Backend<V>,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<V>> {
  const { pageSize, values } = range
  const end = endOf(range)
  const sql = backend.statements.page(values, end !== undefined)
  for (let start: Buffer | undefined = startOf(range); start !== undefined; ) {
    // As text: MySQL 8 takes no double for a LIMIT.
    const parameters: Parameter[] = [start, ...(end === undefined ? [] : [end]), String(pageSize)]
    const rows = await backend.connections.execute<readonly Row[]>(sql, parameters, call, false)
    const last = rows.length < pageSize ? undefined : rows.at(-1)
    start = last === undefined ? undefined : after(last.k)
    yield { entries: entriesOf(rows, values, backend), resume: last?.k.toString('base64url') }
  }
}

/** A key that is no text was not written by us. */
function entriesOf<V>(rows: readonly Row[], values: boolean, { form }: Backend<V>): ScanEntry<V>[] {
  const ours = rows.filter(({ k }) => isUtf8(k))
  return ours.map((row) =>
    values ? { key: row.k.toString(), entry: valueOf(row, form) } : { key: row.k.toString() },
  )
}

function valueOf<V>(row: Row, form: Backend<V>['form']): ScanEntry<V>['entry'] {
  const result = resultOf(row, form, whole)
  return 'notModified' in result ? undefined : result
}

const whole = {}

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
