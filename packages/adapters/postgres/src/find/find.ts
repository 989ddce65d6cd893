import { type CallOptions, type Found, StoreError, type StoreQuery } from '@unikv/core'
import { fieldName, foundOf, type SqlDialect, sqlOf, totalsOf } from '@unikv/core/adapter'
import type { Backend } from '../backend.ts'
import { entriesOf } from '../scan.ts'
import { fieldOf, indexedFieldOf } from './fields.ts'

/** Records by the fields of their documents, by one statement. */
export async function find<V>(backend: Backend<V>, query: StoreQuery, call: CallOptions): Promise<Found<V>> {
  const { connections, statements, form } = backend
  const { text, values } = sqlOf(dialectOf(backend), query)
  if (values.some((value) => typeof value === 'string' && value.includes('\u0000')))
    throw new StoreError(
      'INVALID_ARGUMENT',
      'A query to PostgreSQL cannot compare with U+0000, which no document there holds.',
    )
  if (query.page === undefined) {
    const [row = []] = await connections.execute(statements.ofQuery(text, false), values, call, false)
    return { entries: [], totals: totalsOf(row) }
  }
  const records = await connections.records(statements.ofQuery(text, true), values, call)
  const keys = records.map(({ key }) => Buffer.from(key, 'latin1'))
  return foundOf(query, entriesOf(records, keys, true, form), records.length)
}

/** How PostgreSQL says it. */
export function dialectOf({
  statements: { records },
  indexed,
}: Pick<Backend<unknown>, 'statements' | 'indexed'>): SqlDialect {
  return {
    ...records,
    live: () => records.live,
    key: 'k',
    // Dearer than other conditions: PostgreSQL looks at cheap ones first.
    aside: (key) => `substring(${key} || ''::bytea, 1)`,
    fence: 'OFFSET 0',
    placeholder: (index, as) => `$${index}::${types[as]}`,
    // No document there holds U+0000, and no parameter.
    contains: (text, wanted, bind) =>
      wanted.includes('\u0000') ? '1 = 0' : `strpos(${text}, ${bind(wanted, 'text')}) > 0`,
    field: (path, bind) =>
      indexed.has(fieldName(path)) ? indexedFieldOf(path) : fieldOf(path, (name) => bind(name, 'text')),
  }
}

const types = { text: 'text', number: 'numeric', bytes: 'bytea', count: 'int8' } as const
