import { keyValue } from '@unikv/core'
import { expect, test } from 'vitest'
import { codeOf } from '../calls.ts'
import type { SqlBench, SqlOptions } from './bench.ts'
import { freshTable } from './fresh-table.ts'

/** The adapter of an SQL database under the suite of opening. */
export interface SqlOpening {
  readonly bench: SqlBench
  /** Scheme of its URLs. */
  readonly scheme: string
  /** Stands in options where a password would. */
  readonly secret: string
  /** Options that only this adapter refuses. `good` is an address, with a password. */
  readonly refused: (good: string) => readonly (readonly [string, object])[]
  /** SQL that makes a table of this name which is not ours. */
  readonly foreign: (table: string) => string
}

/** Hooks of the suite of opening. */
export interface SqlOpeningHooks {
  /** Options that are refused when the store is made, each with a title. */
  readonly refused: readonly (readonly [string, object])[]
  /** The options of a new, prepared table. */
  fresh(): Promise<SqlOptions>
  readonly server: {
    /** Host and port of the real server. */
    readonly address: string
    /** The options of a store at another address. */
    at(address: string, password?: string): SqlOptions
  }
  readonly preparing: {
    /** Make the table of these options. */
    prepare(options: SqlOptions): Promise<void>
    /** The options of a table that does not exist. */
    missing(): SqlOptions
    /** The same options, with the table made on the first call. */
    onCall(options: SqlOptions): SqlOptions
    /** Drop the table of these options. */
    remove(options: SqlOptions): Promise<unknown>
  }
  /** Drop the table of these options, at the end of a test. */
  discard(options: SqlOptions): Promise<unknown>
  /** Tables that are not for this store, each with a title. */
  readonly foreign: readonly (readonly [string, () => Promise<SqlPlace>])[]
}

/** A table that is not for a store of bytes. */
export interface SqlPlace {
  readonly options: SqlOptions
  /** Fails if something of it was changed or lost. */
  intact(): Promise<void>
}

/** For `opening` of `@unikv/conformance`: what adapters of SQL databases have in common. */
export function sqlOpening({ bench, scheme, secret, refused, foreign }: SqlOpening): SqlOpeningHooks {
  const { url, sql } = bench
  const good = `${scheme}://root:${secret}@127.0.0.1/database`
  const drop = (table: string | undefined) => sql.query(`DROP TABLE IF EXISTS ${table}`)
  return {
    refused: [...refusedByAll(good, scheme, secret), ...refused(good)],
    fresh: async (): Promise<SqlOptions> => ({ url, table: await bench.table() }),
    server: {
      address: new URL(url).host,
      at: (address: string, password?: string): SqlOptions => {
        const to = new URL(url)
        to.host = address
        if (password !== undefined) to.password = password
        return { url: to, table: 'unikv', prepare: true }
      },
    },
    preparing: {
      prepare: bench.prepare,
      missing: (): SqlOptions => ({ url, table: freshTable() }),
      onCall: (options: SqlOptions): SqlOptions => ({ ...options, prepare: true }),
      remove: ({ table }: SqlOptions) => drop(table),
    },
    discard: ({ table }: SqlOptions) => drop(table),
    foreign: [
      ['a table of others', () => tableOfOthers(bench, foreign)],
      [
        'a table of documents',
        async () => {
          const table = await bench.table({ values: 'document' })
          return { options: { url, table }, intact: () => untouched(bench, table) }
        },
      ],
    ],
  }
}

/** Declares tests of a first call that finds no database, and of the native client after the last. */
export function testOpening(bench: SqlBench): void {
  test('a missing database is NOT_PREPARED', async () => {
    const database = new URL(bench.url)
    database.pathname = '/no_such_database'
    expect(await codeOf(keyValue(bench.store({ url: database })).get('key'))).toBe('NOT_PREPARED')
  })

  test('the native client of a closed store is CLOSED', async () => {
    const store = bench.store({ url: bench.url, table: await bench.table() })
    await store.native.query('SELECT 1')
    await store.close()
    expect(await codeOf(store.native.query('SELECT 1'))).toBe('CLOSED')
  })

  test('a table of bytes is refused where documents are asked for', async () => {
    const kv = keyValue(bench.documents({ url: bench.url, table: await bench.table() }))
    expect(await codeOf(kv.get('key'))).toBe('INVALID_CONFIG')
  })
}

async function tableOfOthers(bench: SqlBench, make: (table: string) => string): Promise<SqlPlace> {
  const table = freshTable()
  await bench.sql.query(make(table))
  return { options: { url: bench.url, table }, intact: () => untouched(bench, table) }
}

/** It is still there, and nothing was added. */
async function untouched({ sql }: SqlBench, table: string): Promise<void> {
  const result = await sql.query(`SELECT * FROM ${table}`)
  const rows = Array.isArray(result) ? result[0] : (result as { readonly rows: unknown }).rows
  expect(rows).toEqual([])
  await sql.query(`DROP TABLE ${table}`)
}

function refusedByAll(url: string, scheme: string, secret: string): readonly (readonly [string, object])[] {
  return [
    ['neither url nor pool', {}],
    ['both url and pool', { url, pool: {} }],
    ['text that is not a URL', { url: `127.0.0.1/${secret}` }],
    ['another scheme', { url: `redis://:${secret}@127.0.0.1/0` }],
    ['no database', { url: `${scheme}://root:${secret}@127.0.0.1` }],
    ['a path below the database', { url: `${url}/table` }],
    ['a broken escape', { url: `${scheme}://root:%zz@127.0.0.1/database` }],
    ['a qualified table', { url, table: 'other.table' }],
    ['an upper-case table', { url, table: 'Table' }],
    ['a table of 49 characters', { url, table: 'a'.repeat(49) }],
    ['an empty table', { url, table: '' }],
    ['values of another kind', { url, values: 'raw' }],
    ['a durability that is none', { url, durability: 'replicated' }],
    ['no connections', { url, maxConnections: 0 }],
    ['half a connection', { url, maxConnections: 0.5 }],
    ['no queue', { url, queueLimit: -1 }],
    ['no room for values', { url, maxValueBytes: Number.NaN }],
    ['tls beside a pool', { pool: {}, tls: {} }],
    ['a number of connections beside a pool', { pool: {}, maxConnections: 5 }],
  ]
}
