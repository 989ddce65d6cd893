import { type Awaitable, andThen, type CallOptions, type Found, type StoreQuery } from '@unikv/core'
import { type FieldPath, foundOf, type SqlDialect, type SqlField, sqlOf, totalsOf } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { type AnswerOf, isPage } from './jobs.ts'
import type { SqliteSettings } from './options.ts'
import { decodedPage } from './scan.ts'

/** Records by the fields of their documents, by one statement. */
export function find<V>(
  { access, form }: Backend<V>,
  { clock, file: { table } }: SqliteSettings,
  query: StoreQuery,
  call: CallOptions,
): Awaitable<Found<V>> {
  const { text, values } = sqlOf(dialectOf(table, clock()), query)
  const job = { verb: 'find', text, values, ofRecords: query.page !== undefined } as const
  return andThen(access.ask(job, call) as Awaitable<AnswerOf['find']>, (answer): Found<V> => {
    if (isPage(answer)) return foundOf(query, decodedPage(form, answer).entries)
    return { entries: [], totals: totalsOf((answer as readonly (readonly unknown[])[])[0] ?? []) }
  })
}

function dialectOf(table: string, now: number): SqlDialect {
  return {
    table: `"${table}"`,
    columns: ['r.k', 'hex(r.version)', 'r.expires_at', 'r.value'],
    key: 'k',
    live: (bind) => `(r.expires_at IS NULL OR r.expires_at > ${bind(now, 'count')})`,
    placeholder: (index) => `?${index}`,
    field: (path, bind) => (path.every(isPlain) ? plainField(path, bind) : steppedField(path, bind)),
  }
}

/** Whether JSON writes a name as it is: only such names can stand in a path of SQLite. */
function isPlain(name: string): boolean {
  return JSON.stringify(name) === `"${name}"`
}

type Bind = (name: string, as: 'text') => string

function plainField(path: FieldPath, bind: Bind): SqlField {
  const place = bind(`$${path.map((name) => `."${name}"`).join('')}`, 'text')
  return partsOf(`json_type(r.value, ${place})`, `json_extract(r.value, ${place})`)
}

/** Property by property: names are compared as they are. */
function steppedField(path: FieldPath, bind: Bind): SqlField {
  const names = path.map((name) => bind(name, 'text'))
  const last = names.pop() as string
  const holder = names.reduce(
    (json, name) =>
      `(SELECT e.value FROM json_each(${json}) AS e WHERE e.key = ${name} AND e.type = 'object')`,
    'r.value',
  )
  const part = (column: string): string =>
    `(SELECT e.${column} FROM json_each(${holder}) AS e WHERE e.key = ${last})`
  return partsOf(part('type'), part('atom'))
}

/** Numbers are doubles, as in JavaScript: sums of integers do not overflow. */
function partsOf(type: string, value: string): SqlField {
  return {
    rank: `CASE ${type} WHEN 'null' THEN 1 WHEN 'true' THEN 2 WHEN 'false' THEN 2 WHEN 'integer' THEN 3 WHEN 'real' THEN 3
      WHEN 'text' THEN 4 WHEN 'array' THEN 5 WHEN 'object' THEN 5 ELSE 0 END`,
    number: `CASE ${type} WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 WHEN 'integer' THEN CAST(${value} AS REAL) WHEN 'real' THEN ${value} END`,
    text: `CASE ${type} WHEN 'text' THEN ${value} END`,
  }
}
