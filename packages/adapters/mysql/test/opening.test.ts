import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { isStoreError, keyValue, StoreError } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { createPool as callbackPool } from 'mysql2'
import { describe, expect, test } from 'vitest'
import { type MysqlOptions, mysql, prepareMysql } from '../src/index.ts'
import { codeOf, freshTable, mysqlBench } from './mysql-bench.ts'

const value = Buffer.from('value')
const secret = 'hunter2-s3cret'

describe('options', () => {
  const url = `mysql://root:${secret}@127.0.0.1/database`
  test.each<[string, MysqlOptions]>([
    ['neither url nor pool', {}],
    ['both url and pool', { url, pool: {} as never }],
    ['what is no URL', { url: `127.0.0.1/${secret}` }],
    ['another scheme', { url: `redis://:${secret}@127.0.0.1/0` }],
    ['no database', { url: `mysql://root:${secret}@127.0.0.1` }],
    ['a path below the database', { url: `${url}/table` }],
    ['a parameter of mysql2', { url: `${url}?multipleStatements=true` }],
    ['a broken escape', { url: 'mysql://root:%zz@127.0.0.1/database' }],
    ['a quoted table', { url, table: 'a`b' }],
    ['a qualified table', { url, table: 'other.table' }],
    ['an upper-case table', { url, table: 'Table' }],
    ['a table of 49 characters', { url, table: 'a'.repeat(49) }],
    ['an empty table', { url, table: '' }],
    ['values of another kind', { url, values: 'raw' as never }],
    ['a durability that is none', { url, durability: 'replicated' as never }],
    ['no connections', { url, connectionLimit: 0 }],
    ['half a connection', { url, connectionLimit: 0.5 }],
    ['no queue', { url, queueLimit: -1 }],
    ['no room for values', { url, maxValueBytes: Number.NaN }],
    ['tls with an IP address', { url: `${url}?tls=true` }],
    ['tls that is neither on nor off', { url: 'mysql://root@example.org/database?tls=yes' }],
    ['tls beside a pool', { pool: {} as never, tls: {} }],
    ['a number of connections beside a pool', { pool: {} as never, connectionLimit: 5 }],
  ])('%s is INVALID_CONFIG, and the message tells nothing of the URL', (_, options) => {
    let thrown: unknown
    try {
      mysql(options)
    } catch (error) {
      thrown = error
    }
    expect(isStoreError(thrown) && thrown.code).toBe('INVALID_CONFIG')
    expect(inspect(thrown, { showHidden: true, depth: 9 })).not.toContain(secret)
  })

  test('capabilities follow the options', () => {
    const plain = mysql({ url })
    expect(plain.capabilities).toMatchObject({
      documents: false,
      durability: 'buffered',
      maxValueBytes: 16_769_024,
    })
    const other = mysql({ url, values: 'document', durability: 'flushed', maxValueBytes: 1_000 })
    const documents: true = other.capabilities.documents
    const durability: 'flushed' = other.capabilities.durability
    expect([documents, durability, other.capabilities.maxValueBytes]).toEqual([true, 'flushed', 1_000])
  })
})

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)

  test('a missing table is NOT_PREPARED, and is not made unless asked for', async () => {
    const table = freshTable()
    const store = bench.store({ url, table })
    const error = await keyValue(store)
      .get('key')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'NOT_PREPARED',
      message: expect.stringContaining('prepareMysql') as string,
    })
    expect(await codeOf(prepareMysql({ url, table }).then(() => keyValue(store).get('key')))).toBeUndefined()
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
    await Promise.all(Array.from({ length: 8 }, () => prepareMysql({ url, table })))
    await keyValue(bench.store({ url, table })).set('key', value)
    await bench.sql.query(`DROP TABLE ${table}`)
  })

  test('a table that is not ours is refused and left alone, prepare or not', async () => {
    const table = freshTable()
    await bench.sql.query(
      `CREATE TABLE ${table} (k VARBINARY(100), version BINARY(12), expires_at BIGINT, value LONGBLOB)`,
    )
    for (const prepare of [false, true]) {
      const store = bench.store({ url, table, prepare })
      expect(await codeOf(keyValue(store).set('key', value))).toBe('INVALID_CONFIG')
      expect(await codeOf(keyValue(store).clear({ all: true }))).toBe('INVALID_CONFIG')
    }
    const [rows] = await bench.sql.query(`SELECT COUNT(*) AS n FROM ${table}`)
    expect(rows).toEqual([{ n: 0 }])
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
    const [[setting]] = (await bench.sql.query(
      'SELECT @@innodb_flush_log_at_trx_commit AS flush',
    )) as unknown as [[{ flush: number }]]
    const table = await bench.table()
    const code = await codeOf(keyValue(bench.store({ url, table, durability: 'flushed' })).get('key'))
    expect(code).toBe(setting.flush === 1 ? undefined : 'INVALID_CONFIG')
  })

  test('a wrong password is ACCESS_DENIED, and neither error nor store tells it', async () => {
    const wrong = new URL(url)
    wrong.password = secret
    const store = bench.store({ url: wrong, table: freshTable() })
    const kv = keyValue(store)
    for (const work of [() => kv.get('key'), () => kv.set('key', value), () => kv.getMany(['a', 'b'])]) {
      const error = await work().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(StoreError)
      expect((error as StoreError).code).toBe('ACCESS_DENIED')
      expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
    }
    expect(inspect([store, kv], { showHidden: true, depth: 9 })).not.toContain(secret)
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
    const store = bench.store({ url, tls: { rejectUnauthorized: false, verifyIdentity: false } })
    const error = await keyValue(store)
      .get('key')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: false })
  })

  test('a failed opening is tried again by the next call', async () => {
    const table = freshTable()
    const kv = keyValue(bench.store({ url, table }))
    expect(await codeOf(kv.get('key'))).toBe('NOT_PREPARED')
    await prepareMysql({ url, table })
    expect(await kv.get('key')).toBeUndefined()
    await bench.sql.query(`DROP TABLE ${table}`)
  })

  test('a pool of either API serves, is the native client, and stays open', async () => {
    const table = await bench.table()
    const promised = bench.pool()
    const called = callbackPool({ uri: url })
    const first = keyValue(mysql({ pool: promised, table }))
    const second = keyValue(mysql({ pool: called, table }))
    expect([first.native, second.native]).toEqual([promised, called])
    await first.set('key', value)
    expect(await second.get('key')).toEqual(value)
    await Promise.all([first.close(), second.close()])
    expect(await codeOf(first.get('key'))).toBe('CLOSED')
    expect((await promised.query('SELECT 1 AS one'))[0]).toEqual([{ one: 1 }])
    await called.promise().query('SELECT 1')
    await called.promise().end()
  })

  test('a pool that shapes rows in its own way is refused, one that writes numbers as text serves', async () => {
    const table = await bench.table()
    for (const options of [{ rowsAsArray: true }, { nestTables: true }, { typeCast: () => 1 }] as const) {
      const kv = keyValue(bench.store({ pool: bench.pool(options), table }))
      expect(await codeOf(kv.get('key'))).toBe('INVALID_CONFIG')
    }
    const kv = keyValue(
      bench.store({
        pool: bench.pool({ supportBigNumbers: true, bigNumberStrings: true, namedPlaceholders: true }),
        table,
      }),
    )
    await kv.set('key', value, { ttlMs: 60_000 })
    expect((await kv.getEntry('key'))?.expiresAt).toBeTypeOf('number')
    expect([
      await kv.increment('n', 5),
      await kv.increment('n', -7),
      await kv.touch('key', { ttlMs: 1_000 }),
    ]).toEqual([5, -2, true])
    expect(await codeOf(kv.set('n', value, { ifVersion: null }))).toBe('CONDITION_FAILED')
  })

  test('nothing is loaded or connected before the first call, and nothing is left after close', async () => {
    const table = await bench.table()
    await pause(100) // what earlier tests closed goes
    const before = handles()
    const store = mysql({ url, table })
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
    const connection = await kv.native.getConnection()
    await connection.beginTransaction()
    await connection.execute(`DELETE FROM ${table} WHERE k = ?`, ['key'])
    await connection.rollback()
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
