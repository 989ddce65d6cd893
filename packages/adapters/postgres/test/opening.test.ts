import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { isStoreError, keyValue } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { type PostgresOptions, postgres, preparePostgres } from '../src/index.ts'
import { codeOf, freshTable, postgresBench } from './postgres-bench.ts'

const value = Buffer.from('value')
const secret = 'hunter2-s3cret'

describe('options', () => {
  const url = `postgres://root:${secret}@127.0.0.1/database`
  test.each<[string, PostgresOptions]>([
    ['neither url nor pool', {}],
    ['both url and pool', { url, pool: {} as never }],
    ['what is no URL', { url: `127.0.0.1/${secret}` }],
    ['another scheme', { url: `redis://:${secret}@127.0.0.1/0` }],
    ['no database', { url: `postgres://root:${secret}@127.0.0.1` }],
    ['a path below the database', { url: `${url}/table` }],
    ['a parameter of pg', { url: `${url}?query_timeout=1` }],
    ['a broken escape', { url: 'postgres://root:%zz@127.0.0.1/database' }],
    ['a quoted table', { url, table: 'a"b' }],
    ['a qualified table', { url, table: 'other.table' }],
    ['an upper-case table', { url, table: 'Table' }],
    ['a table of 49 characters', { url, table: 'a'.repeat(49) }],
    ['an empty table', { url, table: '' }],
    ['a quoted schema', { url, schema: 'a"b' }],
    ['an empty schema', { url, schema: '' }],
    ['values of another kind', { url, values: 'raw' as never }],
    ['a durability that is none', { url, durability: 'replicated' as never }],
    ['no connections', { url, connectionLimit: 0 }],
    ['half a connection', { url, connectionLimit: 0.5 }],
    ['no queue', { url, queueLimit: -1 }],
    ['no room for values', { url, maxValueBytes: Number.NaN }],
    ['more room for values than a string can hold', { url, maxValueBytes: 256_000_001 }],
    ['TLS as it comes', { url: `${url}?sslmode=prefer` }],
    ['a socket that is no folder', { url: `${url}?host=example.org` }],
    ['tls beside a pool', { pool: {} as never, tls: {} }],
    ['a pool that is none', { pool: {} as never }],
    ['a number of connections beside a pool', { pool: {} as never, connectionLimit: 5 }],
  ])('%s is INVALID_CONFIG, and the message tells nothing of the URL', (_, options) => {
    let thrown: unknown
    try {
      postgres(options)
    } catch (error) {
      thrown = error
    }
    expect(isStoreError(thrown) && thrown.code).toBe('INVALID_CONFIG')
    expect(inspect(thrown, { showHidden: true, depth: 9 })).not.toContain(secret)
  })

  test('capabilities follow the options', () => {
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
})

describeWith('postgres', (url) => {
  const bench = postgresBench(url)

  test('a missing table is NOT_PREPARED, and is not made unless asked for', async () => {
    const table = freshTable()
    const store = bench.store({ url, table })
    const error = await keyValue(store)
      .get('key')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'NOT_PREPARED',
      message: expect.stringContaining('preparePostgres') as string,
    })
    expect(
      await codeOf(preparePostgres({ url, table }).then(() => keyValue(store).get('key'))),
    ).toBeUndefined()
    await bench.sql.query(`DROP TABLE ${table}`)
    expect(await codeOf(keyValue(store).get('key'))).toBe('NOT_PREPARED')
    expect(await codeOf(keyValue(store).set('key', value))).toBe('NOT_PREPARED')
    const prepared = bench.store({ url, table, prepare: true })
    await keyValue(prepared).set('key', value)
    expect(await keyValue(store).get('key')).toEqual(value)
    await bench.sql.query(`DROP TABLE ${table}`)
  })

  test('eight processes may prepare one table at the same time', async () => {
    const table = freshTable()
    await Promise.all(Array.from({ length: 8 }, () => preparePostgres({ url, table })))
    await keyValue(bench.store({ url, table })).set('key', value)
    await bench.sql.query(`DROP TABLE ${table}`)
  })

  test('a table that is not ours is refused and left alone, prepare or not', async () => {
    const table = freshTable()
    await bench.sql.query(`CREATE TABLE ${table} (k BYTEA, version BYTEA, expires_at BIGINT, value BYTEA)`)
    for (const prepare of [false, true]) {
      const store = bench.store({ url, table, prepare })
      expect(await codeOf(keyValue(store).set('key', value))).toBe('INVALID_CONFIG')
      expect(await codeOf(keyValue(store).clear({ all: true }))).toBe('INVALID_CONFIG')
    }
    const { rows } = await bench.sql.query(
      `SELECT count(*)::int AS n, obj_description('${table}'::regclass, 'pg_class') AS comment FROM ${table}`,
    )
    expect(rows).toEqual([{ n: 0, comment: null }])
    await bench.sql.query(`DROP TABLE ${table}`)
  })

  test('a table of bytes is refused where documents are asked for, and the other way round', async () => {
    const bytes = await bench.table()
    const documents = await bench.table({ values: 'document' })
    expect(await codeOf(keyValue(bench.store({ url, table: bytes, values: 'document' })).get('key'))).toBe(
      'INVALID_CONFIG',
    )
    expect(await codeOf(keyValue(bench.store({ url, table: documents })).get('key'))).toBe('INVALID_CONFIG')
  })

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

  test('a missing database is NOT_PREPARED, a closed port UNAVAILABLE with the address', async () => {
    const database = new URL(url)
    database.pathname = '/no_such_database'
    expect(await codeOf(keyValue(bench.store({ url: database })).get('key'))).toBe('NOT_PREPARED')
    const port = new URL(url)
    port.port = '1'
    port.password = secret
    const error = await keyValue(bench.store({ url: port }))
      .set('key', value)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('127.0.0.1:1 ') as string,
    })
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
  })

  test('a server without TLS is refused where TLS is asked for', async () => {
    const secure = new URL(url)
    secure.searchParams.set('sslmode', 'no-verify')
    for (const options of [{ url: secure }, { url, tls: {} }]) {
      const error = await keyValue(bench.store(options))
        .get('key')
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: false })
    }
  })

  test('a failed opening is tried again by the next call', async () => {
    const table = freshTable()
    const kv = keyValue(bench.store({ url, table }))
    expect(await codeOf(kv.get('key'))).toBe('NOT_PREPARED')
    await preparePostgres({ url, table })
    expect(await kv.get('key')).toBeUndefined()
    await bench.sql.query(`DROP TABLE ${table}`)
  })

  test('a pool that is handed in serves, is the native client, and stays open', async () => {
    const pool = bench.pool()
    const kv = keyValue(postgres({ pool, table: await bench.table() }))
    const native: typeof pool = kv.native
    expect(native).toBe(pool)
    const listeners = pool.listenerCount('error')
    await kv.set('key', value)
    expect(await kv.get('key')).toEqual(value)
    await kv.close()
    await kv.close()
    expect(await codeOf(kv.get('key'))).toBe('CLOSED')
    expect(pool.listenerCount('error')).toBe(listeners)
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })

  test('a pool that its owner closed is CLOSED', async () => {
    const pool = new pg.Pool({ connectionString: url })
    const kv = keyValue(bench.store({ pool, table: await bench.table() }))
    await kv.set('key', value)
    await pool.end()
    expect(await codeOf(kv.set('key', value))).toBe('CLOSED')
  })

  test('nothing is loaded or connected before the first call, and nothing is left after close', async () => {
    const table = await bench.table()
    await pause(100) // what earlier tests closed goes
    const before = handles()
    const store = postgres({ url, table })
    expect(handles()).toEqual(before)
    const kv = keyValue(store)
    await Promise.all(Array.from({ length: 20 }, (_, i) => kv.set(`key ${i}`, value, { ttlMs: 60_000 })))
    expect(handles()).not.toEqual(before)
    await kv.close()
    await kv.close()
    await store.close()
    expect(handles()).toEqual(before)
    expect(
      await codeOf(Promise.resolve(store.read([{ key: 'a' }], { deadlineAt: Number.POSITIVE_INFINITY }))),
    ).toBe('CLOSED')
    expect(await codeOf(store.native.query('SELECT 1'))).toBe('CLOSED')
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
})

/** Sockets and timers that keep this process alive. */
function handles(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => ['TCPSocketWrap', 'TCPConnectWrap', 'Timeout'].includes(name))
    .sort()
}
