import { type CallOptions, type Found, StoreError, type StoreQuery } from '@unikv/core'
import { foundOf, type SqlDialect, type SqlField, sqlOf, totalsOf } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { entriesOf } from './scan.ts'
import type { Statements } from './statements.ts'

/** Records by the fields of their documents, by one statement. */
export async function find<V>(
  { connections, statements, form }: Backend<V>,
  query: StoreQuery,
  call: CallOptions,
): Promise<Found<V>> {
  const { text, values } = sqlOf(dialectOf(statements), query)
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
  return foundOf(query, entriesOf(records, keys, true, form))
}

/** Operators with the name of a property lead into objects only. */
function dialectOf({ records }: Statements): SqlDialect {
  return {
    ...records,
    live: () => records.live,
    key: 'k',
    placeholder: (index, as) => `$${index}::${types[as]}`,
    field: (path, bind) => partsOf(`(r.value${path.map((name) => ` -> ${bind(name, 'text')}`).join('')})`),
  }
}

const types = { text: 'text', number: 'numeric', bytes: 'bytea', count: 'int8' } as const

/** The parts of a JSON value. A number is exact, as JSONB keeps it. */
function partsOf(json: string): SqlField {
  const type = `jsonb_typeof${json}`
  return {
    rank: `CASE ${type} WHEN 'null' THEN 1 WHEN 'boolean' THEN 2 WHEN 'number' THEN 3 WHEN 'string' THEN 4
      WHEN 'array' THEN 5 WHEN 'object' THEN 5 ELSE 0 END`,
    number: `CASE ${type} WHEN 'number' THEN ${json}::numeric WHEN 'boolean' THEN ${json}::bool::int::numeric END`,
    text: `CASE ${type} WHEN 'string' THEN ${json} #>> '{}' END COLLATE "C"`,
  }
}
