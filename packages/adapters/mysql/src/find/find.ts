import { type CallOptions, type Found, isEntry, type ScanEntry, type StoreQuery } from '@unikv/core'
import {
  fieldName,
  foundOf,
  PageOf,
  positionOf,
  type QueryPage,
  type SqlDialect,
  type SqlValue,
  sqlOf,
  totalsOf,
} from '@unikv/core/adapter'
import type { Backend } from '../backend.ts'
import type { Parameter } from '../client/mysql-client.ts'
import type { Row } from '../read.ts'
import { entriesOf } from '../scan.ts'
import { fieldOf, indexedFieldOf } from './fields.ts'

/** Bytes of a text by which the server orders (`max_sort_length`). */
const sortedBytes = 1_024

/** Records of one statement, where they are ordered here. */
const pageSize = 256

/** Records by the fields of their documents, by one statement. Where a text is too long to be ordered by the server, all records found are read. */
export async function find<V>(backend: Backend<V>, query: StoreQuery, call: CallOptions): Promise<Found<V>> {
  const { page } = query
  if (page === undefined) {
    const [row = {}] = await ask(backend, query, call)
    return { entries: [], totals: totalsOf(Object.values(row).map(totalOf)) }
  }
  const found = await pageOf(backend, query, call)
  const isCut = found.entries.some((record) =>
    placeOf(record, page).values.some(
      ([, value]) => typeof value === 'string' && Buffer.byteLength(value) >= sortedBytes,
    ),
  )
  return isCut ? ordered(backend, query, page, call) : found
}

async function pageOf<V>(backend: Backend<V>, query: StoreQuery, call: CallOptions): Promise<Found<V>> {
  const rows = await ask(backend, query, call)
  return foundOf(query, entriesOf(rows.map(rowOf), true, backend), rows.length)
}

/** The page out of all records found, which the server gives by key. */
async function ordered<V>(
  backend: Backend<V>,
  query: StoreQuery,
  page: QueryPage,
  call: CallOptions,
): Promise<Found<V>> {
  const records = new PageOf<ScanEntry<V>>(page)
  let after: QueryPage['after']
  do {
    const step = { ...query, page: { orderBy: [], limit: pageSize, after } }
    const { entries, last } = await pageOf(backend, step, call)
    for (const record of entries) records.add(placeOf(record, page), record)
    after = last
  } while (after !== undefined)
  const { items, last } = records.end()
  return { entries: items, last }
}

function placeOf<V>({ key, entry }: ScanEntry<V>, { orderBy }: QueryPage): ReturnType<typeof positionOf> {
  return positionOf(key, isEntry(entry) ? entry.value : undefined, orderBy)
}

function ask<V>(backend: Backend<V>, query: StoreQuery, call: CallOptions): Promise<readonly Answer[]> {
  const { text, values } = sqlOf(dialectOf(backend), query)
  return backend.connections.execute<readonly Answer[]>(text, values.map(parameterOf), call, false)
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
