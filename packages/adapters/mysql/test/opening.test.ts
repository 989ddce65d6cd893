import { inspect } from 'node:util'
import { keyValue, StoreError } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { freshTable, testOpening, testRefusedOptions } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { createPool as callbackPool } from 'mysql2'
import { describe, expect, test } from 'vitest'
import { type MysqlOptions, mysql } from '../src/index.ts'
import { mysqlBench } from './mysql-bench.ts'

const value = Buffer.from('value')
const secret = 'hunter2-s3cret'

describe('options', () => {
  testRefusedOptions<MysqlOptions>('mysql', mysql, (url) => [
    ['a parameter of mysql2', { url: `${url}?multipleStatements=true` }],
    ['a quoted table', { url, table: 'a`b' }],
    ['tls with an IP address', { url: `${url}?tls=true` }],
    ['tls that is neither on nor off', { url: 'mysql://root@example.org/database?tls=yes' }],
  ])

  test('capabilities follow the options', () => {
    const url = 'mysql://root@127.0.0.1/database'
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
  testOpening(bench)

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

  test('a server without TLS is refused where TLS is asked for', async () => {
    const store = bench.store({ url, tls: { rejectUnauthorized: false, verifyIdentity: false } })
    const error = await keyValue(store)
      .get('key')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: false })
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
