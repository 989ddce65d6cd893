import { keyValue } from '@unikv/core'
import { apart, codeOf, resultsOf } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { createPool as mariadbPromises } from 'mariadb'
import { createPool as mariadbCallbacks } from 'mariadb/callback'
import { createPool as mysqlCallbacks } from 'mysql2'
import { createPool as mysqlPromises } from 'mysql2/promise'
import { describe, expect, test } from 'vitest'
import { type MysqlClient, mysql } from '../src/index.ts'
import { drivers, mysqlBench } from './mysql-bench.ts'

const value = Buffer.from('value')
const other = Buffer.from('other')

/** A connection of whichever pool, with promises. */
interface Lent {
  query(sql: string): Promise<unknown>
  release(): unknown
}

/** A pool that was handed in, with one connection. */
interface Handed {
  readonly pool: MysqlClient
  readonly lend: () => Promise<Lent>
  readonly end: () => Promise<unknown>
}

/** Each API of each driver. mariadb's own pools roll back by themselves, unless told not to. */
const handedPools: Readonly<Record<string, (url: string, connected?: string) => Handed>> = {
  'mysql2/promise'(url, connected) {
    const pool = mysqlPromises({ uri: url, connectionLimit: 1 })
    if (connected !== undefined) pool.pool.on('connection', (made) => void made.query(connected))
    return { pool, lend: () => pool.getConnection(), end: () => pool.end() }
  },
  mysql2(url, connected) {
    const pool = mysqlCallbacks({ uri: url, connectionLimit: 1 })
    if (connected !== undefined) pool.on('connection', (made) => void made.query(connected))
    return { pool, lend: () => pool.promise().getConnection(), end: () => pool.promise().end() }
  },
  mariadb(url, connected) {
    const pool = mariadbPromises(mariadbOptions(url, connected))
    return { pool, lend: () => pool.getConnection(), end: () => pool.end() }
  },
  'mariadb/callback'(url, connected) {
    const pool = mariadbCallbacks(mariadbOptions(url, connected))
    const lend = (): Promise<Lent> =>
      new Promise((resolve, reject) => {
        pool.getConnection((error, connection) => {
          if (error) return reject(error)
          const query = (sql: string) =>
            new Promise((done, failed) => {
              connection?.query(sql, (wrong: Error | null) => (wrong ? failed(wrong) : done(undefined)))
            })
          resolve({ query, release: () => connection?.release(() => {}) })
        })
      })
    return { pool, lend, end: () => new Promise((resolve) => pool.end(resolve)) }
  },
}

function mariadbOptions(url: string, initSql: string | undefined) {
  const { hostname: host, port, pathname, username, password } = new URL(url)
  const database = pathname.slice(1)
  const user = decodeURIComponent(username) || 'root'
  const shared = {
    connectionLimit: 1,
    noControlAfterUse: true,
    ...(initSql === undefined ? {} : { initSql }),
  }
  return { host, port: Number(port), user, password: decodeURIComponent(password), database, ...shared }
}

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)
  const behind = (table: string) => keyValue(bench.store({ url, table }), [], apart)

  describe.each(Object.keys(handedPools))('a pool of %s', (name) => {
    const handed = handedPools[name] as (typeof handedPools)[string]

    /** A store on the one connection of such a pool, and what gives that back inside a transaction. */
    async function open() {
      const table = await bench.table()
      const { pool, lend, end } = handed(url)
      const kv = keyValue(bench.store({ pool, table }), [], apart)
      await kv.set('key', value)
      const leaveOpen = async (): Promise<void> => {
        const connection = await lend()
        await connection.query('START TRANSACTION')
        await connection.query(`SELECT COUNT(*) FROM ${table}`)
        await connection.release()
      }
      return { table, kv, leaveOpen, end }
    }

    test('no write goes into a transaction that a connection was given back in', async () => {
      const { table, kv, leaveOpen, end } = await open()
      const version = (await kv.getEntry('key'))?.version as string
      const writes: readonly (() => Promise<unknown>)[] = [
        () => kv.set('lost', other),
        () => kv.set('lost', other, { ifVersion: null }),
        () => kv.set('key', other, { ifVersion: version }),
        () => kv.delete('key'),
        () => kv.delete('key', { ifVersion: version }),
        () => kv.increment('lost'),
        () => kv.touch('key', { ttlMs: 60_000 }),
      ]
      for (const write of writes) {
        await leaveOpen()
        const error = await write().catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: true })
      }
      await leaveOpen()
      expect(
        await resultsOf(
          kv.setMany([
            ['lost', other],
            ['key', other],
          ]),
        ),
      ).toMatchObject([{ code: 'UNAVAILABLE' }, { code: 'UNAVAILABLE' }])
      const found = behind(table)
      expect(await found.getMany(['key', 'lost'])).toEqual([value, undefined])
      expect(await found.getEntry('key')).toMatchObject({ version, expiresAt: undefined })
      await kv.set('key', other)
      expect(await found.get('key')).toEqual(other)
      await end()
    })

    test('nothing is read in such a transaction, which sees what was', async () => {
      const { table, kv, leaveOpen, end } = await open()
      const reads: readonly (() => Promise<unknown>)[] = [
        () => kv.get('key'),
        () => kv.get('absent'),
        () => kv.has('key'),
        () => kv.count(),
        () => kv.clear({ all: true }),
      ]
      for (const read of reads) {
        await leaveOpen()
        expect(await codeOf(read())).toBe('UNAVAILABLE')
      }
      await leaveOpen()
      await behind(table).set('key', other)
      expect(await codeOf(kv.getMany(['key', 'absent']))).toBe('PARTIAL')
      expect(await kv.getMany(['key', 'absent'])).toEqual([other, undefined])
      await end()
    })

    test('one whose connections have autocommit off is refused, and told what to do', async () => {
      const table = await bench.table()
      const { pool, end } = handed(url, 'SET autocommit = 0')
      const kv = keyValue(bench.store({ pool, table }), [], apart)
      for (const work of [() => kv.set('key', value), () => kv.get('key')]) {
        const error = await work().catch((thrown: unknown) => thrown)
        const message = expect.stringContaining('SET autocommit = 1') as string
        expect(error).toMatchObject({ code: 'INVALID_CONFIG', message })
      }
      await end()
    })

    test('one whose connection had autocommit switched off later acknowledges nothing that does not last', async () => {
      const table = await bench.table()
      const { pool, lend, end } = handed(url)
      const kv = keyValue(bench.store({ pool, table }), [], apart)
      await kv.set('key', value)
      const connection = await lend()
      await connection.query('SET autocommit = 0')
      await connection.release()
      expect(await codeOf(kv.set('key', other))).toBe('UNAVAILABLE')
      await kv.set('key', other)
      expect(await behind(table).get('key')).toEqual(other)
      await end()
    })
  })

  describe.each(drivers)('by %s', (driver) => {
    test('what is acknowledged after a native connection came back inside a transaction lasts', async () => {
      const table = await bench.table()
      const store = mysql({ url, driver, table, maxConnections: 1 })
      const kv = keyValue(store, [], apart)
      await kv.set('key', value)
      for (let i = 0; i < 3; i++) {
        const connection = await store.native.getConnection()
        await connection.beginTransaction()
        await connection.query(`DELETE FROM ${table}`)
        connection.release()
        const code = await codeOf(kv.set(`${i}`, other))
        // Connections of mariadb are asked when they come back, those of mysql2 tell with the next answer.
        expect(code).toBe(driver === 'mariadb' ? undefined : 'UNAVAILABLE')
        if (code !== undefined) await kv.set(`${i}`, other)
      }
      await store.native.query('START TRANSACTION')
      expect(await codeOf(kv.get('0'))).toBe(driver === 'mariadb' ? undefined : 'UNAVAILABLE')
      await kv.close()
      expect(await behind(table).getMany(['key', '0', '1', '2'])).toEqual([value, other, other, other])
    })

    test('a transaction that is committed on a native connection disturbs nobody', async () => {
      const table = await bench.table()
      const kv = keyValue(bench.store({ url, driver, table, maxConnections: 1 }), [], apart)
      await kv.setMany([
        ['a', value],
        ['b', value],
      ])
      const connection = await kv.native.getConnection()
      await connection.beginTransaction()
      await connection.execute(`DELETE FROM ${table} WHERE k = ?`, ['a'])
      await connection.commit()
      connection.release()
      expect(await kv.getMany(['a', 'b'])).toEqual([undefined, value])
      await kv.set('a', other)
      expect(await kv.get('a')).toEqual(other)
    })
  })
})
