import { pathToFileURL } from 'node:url'
import { type Finds, type KeyValue, keyValue, type Store } from '@unikv/core'
import { requireFrom } from '@unikv/core/adapter'
import { type Documents, mostFound, type SearchedDocument } from './native-client.ts'

/** A store whose server searches documents. A URL opens it for bytes, so its adapter opens the documents. */
export interface Finder {
  /** The documents of a program without unikv. */
  native(native: unknown, table: string): Promise<Documents>
  /** The documents of unikv, in a table of that name. */
  unikv(native: unknown, table: string, url: string): Promise<Documents>
}

const finders: readonly (readonly [schemes: readonly string[], finder: Finder])[] = [
  [['postgres', 'postgresql'], { native: nativePostgres, unikv: unikvPostgres }],
  [['sqlite'], { native: nativeSqlite, unikv: unikvSqlite }],
]

/** How the server of a URL searches; `undefined`: it does not. */
export function finderOf(url: string): Finder | undefined {
  const scheme = url.slice(0, url.indexOf(':'))
  return finders.find(([schemes]) => schemes.includes(scheme))?.[1]
}

/** The method of pg in use. */
interface Pool {
  query(statement: string | object): Promise<{ readonly rows: readonly unknown[] }>
}

async function nativePostgres(native: unknown, table: string): Promise<Documents> {
  const pool = native as Pool
  await pool.query(
    `CREATE TABLE IF NOT EXISTS ${table} (k text COLLATE "C" PRIMARY KEY, value jsonb NOT NULL)`,
  )
  const run = (name: string, text: string, values: readonly string[]) =>
    pool.query({ name: `${table}_${name}`, text, values })
  return {
    add: (key, document) =>
      run('add', `INSERT INTO ${table} VALUES ($1, $2)`, [key, JSON.stringify(document)]),
    search: async (group) => {
      const found = `SELECT k, value FROM ${table} WHERE value ->> 'group' = $1 ORDER BY k LIMIT ${mostFound}`
      const { rows } = await run('search', found, [group])
      return (rows as readonly { readonly k: string }[]).map(({ k }) => k)
    },
    remove: () => pool.query(`DROP TABLE IF EXISTS ${table}`),
  }
}

async function unikvPostgres(native: unknown, table: string, url: string): Promise<Documents> {
  const { postgres } = await adapter<{ readonly postgres: Factory }>('@unikv/postgres')
  const place = new URL(url)
  const sslmode = place.searchParams.get('sslmode')
  place.search = sslmode === null ? '' : `?sslmode=${encodeURIComponent(sslmode)}`
  const store = postgres({ url: place.href, table, values: 'document', prepare: true })
  return ofKeyValue(store, () => (native as Pool).query(`DROP TABLE IF EXISTS ${table}`))
}

/** The methods of libsql in use. */
interface Sqlite {
  exec(sql: string): void
  prepare(sql: string): Statement
}

interface Statement {
  run(parameters: readonly string[]): unknown
  all(parameters: readonly string[]): readonly { readonly k: string; readonly value: string }[]
}

async function nativeSqlite(native: unknown, table: string): Promise<Documents> {
  const database = native as Sqlite
  database.exec(`CREATE TABLE IF NOT EXISTS ${table} (k TEXT PRIMARY KEY, value TEXT NOT NULL)`)
  const add = database.prepare(`INSERT INTO ${table} VALUES (?, ?)`)
  const found = database.prepare(
    `SELECT k, value FROM ${table} WHERE json_extract(value, '$.group') = ? ORDER BY k LIMIT ${mostFound}`,
  )
  return {
    add: async (key, document) => add.run([key, JSON.stringify(document)]),
    search: async (group) => {
      const documents = found.all([group]).map(({ k, value }) => ({ k, value: JSON.parse(value) as unknown }))
      return documents.map(({ k }) => k)
    },
    remove: async () => database.exec(`DROP TABLE IF EXISTS ${table}`),
  }
}

async function unikvSqlite(native: unknown, table: string, url: string): Promise<Documents> {
  const { sqlite } = await adapter<{ readonly sqlite: Factory }>('@unikv/sqlite')
  const [path = '', query] = url.slice('sqlite:'.length).split('?')
  const threads = new URLSearchParams(query).get('threads')
  const store = sqlite({
    path: decodeURIComponent(path),
    table,
    values: 'document',
    ...(threads !== null && { threads: Number(threads) }),
  })
  return ofKeyValue(store, async () => (native as Sqlite).exec(`DROP TABLE IF EXISTS ${table}`))
}

/** A store of documents that finds them. */
type DocumentStore = Store<SearchedDocument>

type Factory = (options: object) => DocumentStore

function ofKeyValue(store: DocumentStore, drop: () => Promise<unknown>): Documents {
  const kv = keyValue(store) as KeyValue<string, SearchedDocument> & Finds<string, SearchedDocument>
  return {
    add: (key, document) => kv.set(key, document),
    search: async (group) => {
      const { items } = await kv.find({ where: { group }, limit: mostFound })
      return items.map(([key]) => key)
    },
    async remove() {
      await kv.close()
      await drop()
    },
  }
}

/** The module of an adapter that @unikv/stores brings. */
async function adapter<T>(name: string): Promise<T> {
  const stores = pathToFileURL(requireFrom(import.meta.url).resolve('@unikv/stores')).href
  return (await import(pathToFileURL(requireFrom(stores).resolve(name)).href)) as T
}
