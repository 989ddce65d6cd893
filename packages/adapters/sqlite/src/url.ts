import { StoreError } from '@unikv/core'
import { flagOf, type Opener, oneOf, pathOf, refuseOthers } from '@unikv/core/url'
import { type SqliteStore, sqlite } from './sqlite.ts'

/** The options that a URL can set. */
export interface SqliteUrlOptions {
  readonly path: string
  readonly table: string | undefined
  readonly threads: number | undefined
  readonly durability: 'flushed' | 'buffered' | undefined
  readonly readOnly: boolean | undefined
  readonly prepare: boolean
  readonly name: string | undefined
}

/** The type of the store that `open` makes, by the scheme of its URL. */
export interface SqliteByScheme {
  readonly sqlite: SqliteStore<SqliteUrlOptions>
}

/** Makes the store of a URL of SQLite. */
export const openSqlite: Opener<SqliteByScheme> = ({
  parameters,
  path,
  dataset,
  name,
  prepare,
}): SqliteStore<SqliteUrlOptions> => {
  refuseOthers('sqlite', parameters, ['dataset', 'durability', 'readOnly', 'threads'])
  const durability = oneOf(parameters, 'durability', ['flushed', 'buffered'])
  const threads = threadsOf(parameters.get('threads'))
  const options: SqliteUrlOptions = {
    path: pathOf('sqlite', path),
    table: dataset,
    threads,
    durability,
    readOnly: flagOf(parameters, 'readOnly'),
    prepare,
    name,
  }
  return sqlite(options)
}

function threadsOf(text: string | null): number | undefined {
  if (text === null) return undefined
  if (/^\d{1,2}$/.test(text)) return Number(text)
  throw new StoreError('INVALID_CONFIG', 'threads in a store URL must be a number of threads, such as 2.')
}
