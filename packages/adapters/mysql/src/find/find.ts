import type { CallOptions, Found, StoreQuery } from '@unikv/core'
import { fieldName, foundOf, type SqlDialect, type SqlValue, sqlOf, totalsOf } from '@unikv/core/adapter'
import type { Backend } from '../backend.ts'
import type { Parameter } from '../client/mysql-client.ts'
import type { Row } from '../read.ts'
import { entriesOf } from '../scan.ts'
import { fieldOf, indexedFieldOf } from './fields.ts'

/** Records by the fields of their documents, by one statement. */
export async function find<V>(backend: Backend<V>, query: StoreQuery, call: CallOptions): Promise<Found<V>> {
  const { text, values } = sqlOf(dialectOf(backend), query)
  const rows = await backend.connections.execute<readonly Answer[]>(
    text,
    values.map(parameterOf),
    call,
    false,
  )
  if (query.page !== undefined) return foundOf(query, entriesOf(rows.map(rowOf), true, backend))
  return { entries: [], totals: totalsOf(Object.values(rows[0] ?? {}).map(totalOf)) }
}

/** A row, by the names that queries give to their columns. */
type Answer = Readonly<Record<string, unknown>>

function rowOf({ c0: k, c1: version, c2: expires_at, c3: value }: Answer): Row {
  return { k, version, expires_at, value } as Row
}

function totalOf(value: unknown): unknown {
  return Buffer.isBuffer(value) ? value.toString() : value
}

/** Texts as bytes, as they are compared; numbers as text, which MySQL 8 also takes for a LIMIT. */
export function parameterOf(value: SqlValue): Parameter {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? Buffer.from(value) : value
}

/** How MySQL and MariaDB say it. */
export function dialectOf({
  statements,
  indexed,
}: Pick<Backend<unknown>, 'statements' | 'indexed'>): SqlDialect {
  return {
    ...statements.records,
    key: 'k',
    placeholder: (_, as) => (as === 'number' ? '(? + 0e0)' : '?'),
    // Both are bytes: no collation counts.
    contains: (text, wanted, bind) => `LOCATE(${bind(wanted, 'text')}, ${text}) > 0`,
    field: (path, bind) =>
      (indexed.has(fieldName(path)) ? indexedFieldOf : fieldOf)(path, (value) => bind(value, 'bytes')),
  }
}
