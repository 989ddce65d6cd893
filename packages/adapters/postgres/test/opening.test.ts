import type { EventEmitter } from 'node:events'
import { opening, plantedSecret as secret } from '@unikv/conformance'
import { keyValue } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { freshTable, sqlOpening, testOpening } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { type PostgresOptions, postgres, preparePostgres } from '../src/index.ts'
import { postgresBench } from './postgres-bench.ts'

const value = Buffer.from('value')

test('capabilities follow the options', () => {
  const url = 'postgres://root@127.0.0.1/database'
  const plain = postgres({ url })
  expect(plain.capabilities).toMatchObject({
    documents: false,
    durability: 'buffered',
    maxValueBytes: 16_777_216,
  })
  const other = postgres({ url, values: 'document', durability: 'flushed', maxValueBytes: 1_000 })
  const documents: true = other.capabilities.documents
  const durability: 'flushed' = other.capabilities.durability
  expect([documents, durability, other.capabilities.maxValueBytes]).toEqual([true, 'flushed', 1_000])
})

describeWith('postgres', (url) => {
  const bench = postgresBench(url)

  const hooks = sqlOpening({
    bench,
    scheme: 'postgres',
    secret,
    foreign: (table) => `CREATE TABLE ${table} (k BYTEA, version BYTEA, expires_at BIGINT, value BYTEA)`,
    refused: (good) => [
      ['a parameter of pg', { url: `${good}?query_timeout=1` }],
      ['a quoted table', { url: good, table: 'a"b' }],
      ['a quoted schema', { url: good, schema: 'a"b' }],
      ['an empty schema', { url: good, schema: '' }],
      ['more room for values than a string can hold', { url: good, maxValueBytes: 256_000_001 }],
      ['TLS as it comes', { url: `${good}?sslmode=prefer` }],
      ['a socket that is no folder', { url: `${good}?host=example.org` }],
      ['a pool that is none', { pool: {} }],
    ],
  })

  opening<PostgresOptions>({
    ...hooks,
    server: { ...hooks.server, withTls: () => ({ url, tls: {} }) },
    test,
    describe,
    make: (options) => postgres(options),
    module: {
      url: new URL('../dist/index.js', import.meta.url),
      make: 'postgres',
      prepare: 'preparePostgres',
      drivers: ['pg'],
    },
    client: async () => {
      const pool = new pg.Pool({ connectionString: url, max: 1 })
      return {
        client: pool,
        options: { pool, table: await bench.table() },
        works: () => pool.query('SELECT 1'),
        close: () => pool.end(),
      }
    },
  })

  testOpening(bench)

  test('a durability that the server does not give is refused on first use', async () => {
    const table = await bench.table()
    const { rows } = await bench.sql.query<{ fsync: string }>('SHOW fsync')
    const code = await codeOf(keyValue(bench.store({ url, table, durability: 'flushed' })).get('key'))
    expect(code).toBe(rows[0]?.fsync === 'on' ? undefined : 'INVALID_CONFIG')
    const careless = bench.pool({ options: '-c synchronous_commit=off' })
    expect(await codeOf(keyValue(bench.store({ pool: careless, table })).get('key'))).toBe('INVALID_CONFIG')
    const kv = keyValue(bench.store({ pool: careless, table, durability: 'memory' }))
    expect(await codeOf(kv.set('key', value))).toBeUndefined()
    await bench.sql.query(`ALTER TABLE ${table} SET UNLOGGED`)
    expect(await codeOf(keyValue(bench.store({ url, table })).get('key'))).toBe('INVALID_CONFIG')
  })

  test('a table in a schema of its own is made, used and told apart from one of the same name', async () => {
    const [schema, table] = [freshTable(), freshTable()]
    const inSchema = { url, schema, table }
    expect(await codeOf(preparePostgres(inSchema))).toBe('NOT_PREPARED')
    await bench.sql.query(`CREATE SCHEMA ${schema}`)
    await preparePostgres(inSchema)
    await preparePostgres({ url, table })
    await keyValue(bench.store(inSchema)).set('key', value)
    expect(await keyValue(bench.store({ url, table })).get('key')).toBeUndefined()
    expect(await keyValue(bench.store(inSchema)).get('key')).toEqual(value)
    await bench.sql.query(`DROP TABLE ${table}; DROP SCHEMA ${schema} CASCADE`)
  })

  test('stores that come and go leave one listener on a connection of a pool that was handed in', async () => {
    const pool = bench.pool({ max: 1 })
    const table = await bench.table()
    const before = await pool.connect()
    const listeners = before.listenerCount('error')
    before.release()
    for (let i = 0; i < 3; i++) {
      const kv = keyValue(postgres({ pool, table }))
      await kv.set('key', value)
      await kv.close()
    }
    const after = await pool.connect()
    const left = after.listenerCount('error')
    after.release()
    expect([after === before, left]).toEqual([true, listeners + 1])
  })

  test('a pool that its owner closed is CLOSED', async () => {
    const pool = new pg.Pool({ connectionString: url })
    const kv = keyValue(bench.store({ pool, table: await bench.table() }))
    await kv.set('key', value)
    await pool.end()
    expect(await codeOf(kv.set('key', value))).toBe('CLOSED')
  })

  test('transactions of your own run on a native connection', async () => {
    const table = await bench.table()
    const kv = keyValue(bench.store({ url, table }))
    await kv.set('key', value)
    const connection = await kv.native.connect()
    await connection.query('BEGIN')
    await connection.query(`DELETE FROM ${table} WHERE k = $1`, ['key'])
    await connection.query('ROLLBACK')
    connection.release()
    expect(await kv.get('key')).toEqual(value)
  })

  test('a native connection that is cut while it is lent does not end the process', async () => {
    const kv = keyValue(bench.store({ url, table: await bench.table() }))
    const lent = await kv.native.connect()
    const { rows } = await lent.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid')
    const emitter = lent as unknown as EventEmitter
    const ended = new Promise((resolve) => emitter.once('end', resolve))
    await kv.native.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid])
    await ended
    await expect(lent.query('SELECT 1')).rejects.toThrow()
    lent.release()
    expect((await kv.native.query('SELECT 1')).rowCount).toBe(1)
  })
})
