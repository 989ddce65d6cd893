import { setTimeout as pause } from 'node:timers/promises'
import { inspect, isDeepStrictEqual } from 'node:util'
import { isStoreError, keyValue, StoreError } from '@unikv/core'
import { apart, codeOf, handles } from '@unikv/test-kit'
import { freshTable } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { createPool as promisePool } from 'mariadb'
import { createPool as callbackPool } from 'mariadb/callback'
import { describe, expect, test } from 'vitest'
import { type MysqlOptions, mysql, prepareMysql } from '../src/index.ts'
import { mysqlBench } from './mysql-bench.ts'

const value = Buffer.from('a value that no error tells')
const secret = 'hunter2-s3cret'

describe('options', () => {
  const url = `mysql://root:${secret}@127.0.0.1/database`
  test.each<[string, MysqlOptions]>([
    ['a driver that there is not', { url, driver: 'mysql' as never }],
    ['such a driver in the URL', { url: `${url}?driver=mysql` }],
    ['a driver beside a pool', { pool: {} as never, driver: 'mariadb' }],
  ])('%s is INVALID_CONFIG', (_, options) => {
    let thrown: unknown
    try {
      mysql(options)
    } catch (error) {
      thrown = error
    }
    expect(isStoreError(thrown) && thrown.code).toBe('INVALID_CONFIG')
    expect(inspect(thrown, { showHidden: true, depth: 9 })).not.toContain(secret)
  })
})

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)
  const byUrl = (address: URL | string, table = freshTable()) =>
    keyValue(bench.store({ url: address, driver: 'mariadb', table }))
  const { hostname: host, port, pathname } = new URL(url)
  const poolOptions = { host, port: Number(port), user: 'root', database: pathname.slice(1), minimumIdle: 1 }

  test('pools of either API serve, are the native client, and stay open', async () => {
    const table = await bench.table()
    const promised = promisePool(poolOptions)
    const called = callbackPool(poolOptions)
    const [first, second] = [mysql({ pool: promised, table }), mysql({ pool: called, table })]
    const natives: [typeof promised, typeof called] = [first.native, second.native]
    expect(natives).toEqual([promised, called])
    const [one, two] = [keyValue(first), keyValue(second)]
    await Promise.all([one.set('key', value), two.set('other', value)])
    expect(await two.getMany(['key', 'other'])).toEqual([value, value])
    await Promise.all([one.close(), two.close()])
    expect(await codeOf(one.get('key'))).toBe('CLOSED')
    expect(Array.from(await promised.query('SELECT 1 AS one'))).toEqual([{ one: 1 }])
    await promised.end()
    await new Promise((resolve) => called.end(resolve))
  })

  test('a pool that its owner closed is CLOSED', async () => {
    const pool = promisePool(poolOptions)
    const kv = keyValue(bench.store({ pool, table: await bench.table() }))
    await kv.set('key', value)
    await pool.end()
    expect(await codeOf(kv.set('key', value))).toBe('CLOSED')
  })

  test('a pool that shapes rows and numbers in its own way serves all the same', async () => {
    const table = await bench.table()
    const pool = promisePool({
      ...poolOptions,
      rowsAsArray: true,
      nestTables: true,
      typeCast: () => 1,
      insertIdAsNumber: true,
      bigIntAsNumber: true,
      metaAsArray: true,
      namedPlaceholders: true,
    })
    const kv = keyValue(bench.store({ pool, table }))
    await kv.set('key', value, { ttlMs: 60_000 })
    expect(await kv.getEntry('key')).toMatchObject({ value, expiresAt: expect.any(Number) as number })
    expect([await kv.increment('n', 5), await kv.increment('n', -7)]).toEqual([5, -2])
    expect(await kv.increment('m', Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER)
    expect(await codeOf(kv.set('n', value, { ifVersion: null }))).toBe('CONDITION_FAILED')
    expect(await kv.count()).toBe(3)
    await pool.end()
  })

  test('more calls than connections all get their turn, and errors hand the connection on', async () => {
    const store = bench.store({ url, driver: 'mariadb', table: await bench.table(), maxConnections: 2 })
    const kv = keyValue(store, [], apart)
    const writes = Array.from({ length: 200 }, (_, i) => kv.set(`${i}`, value))
    expect(await codeOf(kv.increment('1'))).toBe('INVALID_VALUE')
    await Promise.all(writes)
    expect(await kv.count()).toBe(200)
    const [rows] = await kv.native.query<{ readonly n: bigint }[]>(
      'SELECT COUNT(*) AS n FROM information_schema.processlist WHERE id = CONNECTION_ID()',
    )
    expect(Number(rows[0]?.n)).toBe(1)
  })

  test('a wrong password is ACCESS_DENIED at once, and neither error nor store tells it', async () => {
    const wrong = new URL(url)
    wrong.password = secret
    const kv = byUrl(wrong)
    for (const work of [() => kv.get('key'), () => kv.set('key', value), () => kv.getMany(['a', 'b'])]) {
      const error = await work().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(StoreError)
      expect((error as StoreError).code).toBe('ACCESS_DENIED')
      expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
    }
    expect(inspect(kv, { showHidden: true, depth: 9 })).not.toContain(secret)
  })

  test('a missing database and table are NOT_PREPARED, a closed port UNAVAILABLE with the address', async () => {
    const database = new URL(url)
    database.pathname = '/no_such_database'
    expect(await codeOf(byUrl(database).get('key'))).toBe('NOT_PREPARED')
    expect(await codeOf(byUrl(url).get('key'))).toBe('NOT_PREPARED')
    const closed = new URL(url)
    closed.port = '1'
    const error = await byUrl(closed)
      .set('key', value)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('127.0.0.1:1 ') as string,
    })
  })

  test('a server without TLS is refused where TLS is asked for', async () => {
    const tls = { rejectUnauthorized: false, verifyIdentity: false }
    const store = bench.store({ url, driver: 'mariadb', tls })
    const error = await keyValue(store)
      .get('key')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: false })
  })

  test('an error tells nothing of keys and values, though the driver would', async () => {
    const table = await bench.table()
    const pool = promisePool({ ...poolOptions, logParam: true })
    const kv = keyValue(bench.store({ pool, table }))
    await kv.set('key', value)
    await bench.sql.query(`DROP TABLE ${table}`)
    for (const work of [kv.set('a secret key', value), kv.setMany([['a secret key', value]])]) {
      const result = await work.then(
        () => undefined,
        (thrown: StoreError) => (thrown.results?.[0] ?? thrown) as unknown,
      )
      expect(result).toMatchObject({ code: 'NOT_PREPARED' })
      const told = inspect([result, inspect((result as Error).cause, { showHidden: true, depth: 9 })])
      for (const kept of [value.toString(), value.toString('hex'), 'a secret key'])
        expect(told).not.toContain(kept)
    }
    await pool.end()
  })

  test('nothing is connected before the first call, and nothing is left after close', async () => {
    const table = freshTable()
    await prepareMysql({ url: `${url}?driver=mariadb`, table })
    await pause(100) // what earlier tests closed goes
    const before = handles()
    const store = mysql({ url, driver: 'mariadb', table })
    expect(handles()).toEqual(before)
    const kv = keyValue(store, [], apart)
    await Promise.all(Array.from({ length: 20 }, (_, i) => kv.set(`key ${i}`, value, { ttlMs: 60_000 })))
    expect(handles()).not.toEqual(before)
    await kv.close()
    await store.close()
    // Not by `expect.poll`: its own timer would be among them until it has ended.
    const giveUpAt = performance.now() + 60_000
    while (!isDeepStrictEqual(handles(), before) && performance.now() < giveUpAt) await pause(10)
    expect(handles()).toEqual(before)
    expect(await codeOf(store.native.query('SELECT 1'))).toBe('CLOSED')
    await bench.sql.query(`DROP TABLE ${table}`)
  })

  test('transactions of your own run on a native connection', async () => {
    const table = await bench.table()
    const kv = byUrl(url, table)
    await kv.set('key', value)
    const connection = await kv.native.getConnection()
    await connection.beginTransaction()
    await connection.execute(`DELETE FROM ${table} WHERE k = ?`, ['key'])
    await connection.rollback()
    connection.release()
    expect(await kv.get('key')).toEqual(value)
    await expect(kv.native.query('SELECT nonsense')).rejects.toThrow()
  })
})
