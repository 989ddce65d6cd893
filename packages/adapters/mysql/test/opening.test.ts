import { opening, plantedSecret as secret } from '@unikv/conformance'
import { keyValue } from '@unikv/core'
import { codeOf } from '@unikv/test-kit'
import { sqlOpening, testOpening } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { createPool as callbackPool } from 'mysql2'
import { createPool } from 'mysql2/promise'
import { describe, expect, test } from 'vitest'
import { type MysqlOptions, mysql } from '../src/index.ts'
import { mysqlBench } from './mysql-bench.ts'

const value = Buffer.from('value')

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

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)
  const hooks = sqlOpening({
    bench,
    scheme: 'mysql',
    secret,
    foreign: (table) =>
      `CREATE TABLE ${table} (k VARBINARY(100), version BINARY(12), expires_at BIGINT, value LONGBLOB)`,
    refused: (good) => [
      ['a parameter of mysql2', { url: `${good}?multipleStatements=true` }],
      ['a quoted table', { url: good, table: 'a`b' }],
      ['tls with an IP address', { url: `${good}?tls=true` }],
      ['tls that is neither on nor off', { url: 'mysql://root@example.org/database?tls=yes' }],
    ],
  })

  opening<MysqlOptions>({
    ...hooks,
    server: {
      ...hooks.server,
      asksPassword: true,
      withTls: () => ({ url, tls: { rejectUnauthorized: false, verifyIdentity: false } }),
    },
    test,
    describe,
    make: (options) => mysql(options),
    module: {
      url: new URL('../dist/index.js', import.meta.url),
      make: 'mysql',
      prepare: 'prepareMysql',
      drivers: ['mysql2', 'mariadb'],
    },
    client: async () => {
      const pool = createPool({ uri: url })
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
    const [[setting]] = (await bench.sql.query(
      'SELECT @@innodb_flush_log_at_trx_commit AS flush',
    )) as unknown as [[{ flush: number }]]
    const table = await bench.table()
    const code = await codeOf(keyValue(bench.store({ url, table, durability: 'flushed' })).get('key'))
    expect(code).toBe(setting.flush === 1 ? undefined : 'INVALID_CONFIG')
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
