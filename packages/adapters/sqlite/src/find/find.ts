import { type Awaitable, andThen, type CallOptions, type Found, type StoreQuery } from '@unikv/core'
import { fieldName, foundOf, indexedPaths, type SqlDialect, sqlOf, totalsOf } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import type { Backend } from '../backend.ts'
import { type AnswerOf, isPage } from '../jobs.ts'
import type { FileSettings, SqliteSettings } from '../options.ts'
import { decodedPage } from '../scan.ts'
import { fieldOf, indexedFieldOf } from './fields.ts'

/** Records by the fields of their documents, by one statement. */
export function find<V>(
  { access, form }: Backend<V>,
  { clock, file }: SqliteSettings,
  query: StoreQuery,
  call: CallOptions,
): Awaitable<Found<V>> {
  const { text, values } = sqlOf(dialectOf(file, clock()), query)
  const job = { verb: 'find', text, values, ofRecords: query.page !== undefined } as const
  return andThen(access.ask(job, call) as Awaitable<AnswerOf['find']>, (answer): Found<V> => {
    if (isPage(answer)) return foundOf(query, decodedPage(form, answer).entries)
    const [row = []] = answer as readonly (readonly unknown[])[]
    return { entries: [], totals: totalsOf(row.map(totalOf)) }
  })
}

function totalOf(value: unknown): unknown {
  return isBytes(value) ? Buffer.from(value).toString() : value
}

/** How SQLite says it. Its `substr` and its driver end texts before a U+0000. */
export function dialectOf(
  { table, indexes }: Pick<FileSettings, 'table' | 'indexes'>,
  now: number,
): SqlDialect {
  const indexed = indexedPaths(indexes)
  return {
    table: `"${table}"`,
    columns: ['r.k', 'hex(r.version)', 'r.expires_at', 'r.value'],
    key: 'k',
    aside: (key) => `+${key}`,
    live: (bind) => `(r.expires_at IS NULL OR r.expires_at > ${bind(now, 'count')})`,
    placeholder: (index) => `?${index}`,
    contains: (text, wanted, bind) => `instr(${text}, ${bind(wanted, 'text')}) > 0`,
    endsAtNul: true,
    whole: (text) => `CAST(${text} AS BLOB)`,
    field: (path, bind) =>
      indexed.has(fieldName(path)) ? indexedFieldOf(path) : fieldOf(path, (text) => bind(text, 'text')),
  }
}
