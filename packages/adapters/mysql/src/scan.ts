import { isUtf8 } from 'node:buffer'
import type { CallOptions, Page, ScanEntry, ScanRange } from '@unikv/core'
import { boundsBeyond, byteBounds, type KeyBounds } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import type { Parameter } from './client/mysql-client.ts'
import { type Row, resultOf } from './read.ts'

/**
 * Pages in the order of key bytes: each statement starts after the last key of the one before, so that a key which
 * lives throughout comes exactly once, for any writes meanwhile.
 */
export async function* scanPages<V>(
  backend: Backend<V>,
  range: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<V>> {
  const { pageSize, values, reverse = false } = range
  for (
    let bounds: KeyBounds<Buffer> | undefined = byteBounds(range, resumeOf(range));
    bounds !== undefined;
  ) {
    const { start, end } = bounds
    const sql = backend.statements.page(values, end !== undefined, reverse)
    // As text: MySQL 8 takes no double for a LIMIT.
    const parameters: Parameter[] = [start, ...(end === undefined ? [] : [end]), String(pageSize)]
    const rows = await backend.connections.execute<readonly Row[]>(sql, parameters, call, false)
    const last = rows.length < pageSize ? undefined : rows.at(-1)
    bounds = last === undefined ? undefined : boundsBeyond(last.k, bounds, reverse)
    yield { entries: entriesOf(rows, values, backend), resume: last?.k.toString('base64url') }
  }
}

/** A key that is not text was not written by us. */
export function entriesOf<V>(
  rows: readonly Row[],
  values: boolean,
  { form }: Pick<Backend<V>, 'form'>,
): ScanEntry<V>[] {
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

function resumeOf({ resume }: ScanRange): Buffer | undefined {
  return resume === undefined ? undefined : Buffer.from(resume, 'base64url')
}
