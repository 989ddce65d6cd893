import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError, keyValue, newVersion } from '@unikv/core'
import { apart, codeOf, type OwnServer, ownServer, resultsOf } from '@unikv/test-kit'
import { freshTable, testKilledServer } from '@unikv/test-kit/sql'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { createPool, type Pool } from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type MysqlOptions, mysql, prepareMysql } from '../src/index.ts'
import { drivers } from './mysql-bench.ts'

const value = Buffer.from('value')

describeWithOwn('mariadb', () => {
  let server: OwnServer
  let sql: Pool
  const opened: { close(): Promise<void> }[] = []

  /** A KeyValue over a fresh table, each call by itself, perhaps as another user. */
  async function open(options: MysqlOptions = {}) {
    const table = freshTable()
    await prepareMysql({ url: server.url, table })
    const store = mysql({ url: server.url, table, ...options })
    opened.push(store)
    return { table, store, kv: keyValue(store, [], apart) }
  }

  /** The address for a new user with these rights, given as SQL with `?` for the user. */
  async function userUrl(...grants: readonly string[]): Promise<URL> {
    const url = new URL(server.url)
    url.username = freshTable()
    url.password = 'p%40ss word:/?#'
    const user = `'${url.username}'@'%'`
    await sql.query(`CREATE USER ${user} IDENTIFIED BY 'p@ss word:/?#'`)
    for (const grant of grants) await sql.query(grant.replace('?', user))
    return url
  }

  beforeAll(async () => {
    server = await ownServer('mariadb', { args: ['--max-allowed-packet=1M', '--innodb-lock-wait-timeout=1'] })
    sql = createPool({ uri: server.url, connectionLimit: 2 })
  })
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
  })
  afterAll(async () => {
    await sql.end()
    await server.stop()
  })

  test('values over the packet size of the server are refused before the wire, and cost no connection', async () => {
    const { kv } = await open()
    const fits = Buffer.alloc(1024 * 1024 - 1024, 1)
    await kv.set('fits', fits)
    expect(fits.equals((await kv.get('fits')) as Uint8Array)).toBe(true)
    const large = Buffer.alloc(1024 * 1024, 2)
    expect(await codeOf(kv.set('large', large))).toBe('VALUE_TOO_LARGE')
    expect(await codeOf(kv.set('large', large, { ifVersion: null }))).toBe('VALUE_TOO_LARGE')
    const results = await resultsOf(
      kv.setMany([
        ['a', value],
        ['large', large],
        ['b', value],
      ]),
    )
    expect(results.map((result) => isStoreError(result) && result.code)).toEqual([
      false,
      'VALUE_TOO_LARGE',
      false,
    ])
    expect(await kv.getMany(['a', 'large', 'b'])).toEqual([value, undefined, value])
  })

  test('a batch that is larger than a packet goes in several statements', async () => {
    const { kv } = await open()
    const entries = Array.from({ length: 40 }, (_, i) => [`key ${i}`, Buffer.alloc(100_000, i)] as const)
    const results = await kv.setMany(entries)
    expect(results.filter(isStoreError)).toEqual([])
    const found = await kv.getMany(entries.map(([key]) => key))
    expect(entries.every(([, bytes], i) => bytes.equals(found[i] as Uint8Array))).toBe(true)
  })

  test('a read-only server is UNAVAILABLE, and after the failover the same store writes again', async () => {
    const url = await userUrl('GRANT ALL ON unikv.* TO ?')
    const { kv } = await open({ url })
    await kv.set('key', value)
    await sql.query('SET GLOBAL read_only = ON')
    try {
      const calls = Array.from({ length: 20 }, (_, i) => codeOf(kv.set(`${i}`, value)))
      expect(new Set(await Promise.all(calls))).toEqual(new Set(['UNAVAILABLE']))
      expect(await kv.get('key')).toEqual(value)
    } finally {
      await sql.query('SET GLOBAL read_only = OFF')
    }
    await kv.set('key', Buffer.from('again'))
  })

  test('missing privileges are ACCESS_DENIED, for writing as for preparing', async () => {
    const url = await userUrl('GRANT SELECT ON unikv.* TO ?')
    const { kv } = await open({ url })
    expect(await kv.get('key')).toBeUndefined()
    for (const call of [() => kv.set('key', value), () => kv.delete('key'), () => kv.increment('n')]) {
      expect(await codeOf(call())).toBe('ACCESS_DENIED')
    }
    expect(await codeOf(prepareMysql({ url, table: freshTable() }))).toBe('ACCESS_DENIED')
  })

  test('more connections than the user may have are OVERLOADED, and the rest of the calls are answered', async () => {
    const url = await userUrl('GRANT ALL ON unikv.* TO ? WITH MAX_USER_CONNECTIONS 2')
    const { kv } = await open({ url })
    const codes = await Promise.all(Array.from({ length: 10 }, (_, i) => codeOf(kv.set(`${i}`, value))))
    expect(new Set(codes)).toEqual(new Set([undefined, 'OVERLOADED']))
    expect(await kv.get('0')).toEqual(value)
  })

  test('a lock that is not given in time is UNAVAILABLE: rolled back, worth another try', async () => {
    const { kv, table } = await open()
    await kv.set('key', value)
    const other = await sql.getConnection()
    await other.beginTransaction()
    await other.query(`SELECT * FROM ${table} WHERE k = 'key' FOR UPDATE`)
    const error = await kv.set('key', Buffer.from('2')).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: true })
    await other.rollback()
    other.release()
    expect(await kv.get('key')).toEqual(value)
    await kv.set('key', Buffer.from('2'))
  })

  test('of two that wait for each other one is UNAVAILABLE, and the other is done', async () => {
    const { kv, store, table } = await open()
    await kv.setMany([
      ['a', value],
      ['b', value],
    ])
    const other = await sql.getConnection()
    await other.beginTransaction()
    for (let i = 0; i < 50; i++) await other.query(`INSERT INTO ${table} VALUES ('x${i}', '', NULL, '')`) // the heavier one wins
    await other.query(`SELECT * FROM ${table} WHERE k = 'b' FOR UPDATE`)
    const versions = [newVersion(), newVersion()] as const
    const batch = store.write(
      [
        { type: 'set', key: 'a', value: Buffer.from('2'), version: versions[0] },
        { type: 'set', key: 'b', value: Buffer.from('2'), version: versions[1] },
      ],
      { deadlineAt: performance.now() + 5_000 },
    )
    await pause(100)
    await other.query(`SELECT * FROM ${table} WHERE k = 'a' FOR UPDATE`)
    await other.rollback()
    other.release()
    const codes = (await batch).map((result) => isStoreError(result) && result.code)
    expect(codes).toEqual(['UNAVAILABLE', 'UNAVAILABLE'])
    expect(await kv.getMany(['a', 'b'])).toEqual([value, value])
  })

  test.each(drivers)(
    '%s: where the server has autocommit off, what is acknowledged lasts',
    async (driver) => {
      const url = await userUrl('GRANT ALL ON unikv.* TO ?') // not root, for whom there is no init_connect
      const settings = ['autocommit = 0', "init_connect = 'SET autocommit = 0'"]
      try {
        for (const setting of settings) {
          await sql.query(`SET GLOBAL ${setting}`)
          const { kv, table } = await open({ url, driver, maxConnections: 1 })
          await kv.set('key', value)
          await kv.increment('n')
          await kv.close()
          const [rows] = await sql.query(`SELECT COUNT(*) AS n FROM ${table}`)
          expect(rows, setting).toEqual([{ n: 2 }])
          await sql.query('SET GLOBAL autocommit = 1')
        }
      } finally {
        await sql.query("SET GLOBAL autocommit = 1, GLOBAL init_connect = ''")
      }
    },
  )

  testKilledServer(
    () => server,
    () => open(),
  )

  test('a server that is frozen and goes on is used again', async () => {
    const { kv } = await open()
    await kv.set('key', value)
    server.pause()
    await pause(100) // until all its threads stand still
    const codes = await Promise.all([
      codeOf(kv.get('key', { timeoutMs: 300 })),
      codeOf(kv.set('key', Buffer.from('2'), { timeoutMs: 300 })),
    ])
    server.resume()
    expect(codes[0]).toBe('TIMEOUT')
    expect(codes[1]).toMatch(/TIMEOUT|OUTCOME_UNKNOWN/)
    await kv.set('key', Buffer.from('3'))
    expect(await kv.get('key')).toEqual(Buffer.from('3'))
  })

  describe('where there is no room', () => {
    let small: OwnServer
    beforeAll(async () => {
      const file = '--innodb-data-file-path=ibdata1:12M:autoextend:max:24M'
      small = await ownServer('mariadb', { args: ['--innodb-file-per-table=OFF', file] })
    })
    afterAll(async () => {
      await small.stop()
    })

    test('a write is STORE_FULL, and what is there stays', async () => {
      const store = mysql({ url: small.url, prepare: true })
      opened.push(store)
      const kv = keyValue(store)
      await kv.set('first', value)
      let code: string | undefined
      for (let i = 0; i < 60 && code === undefined; i++)
        code = await codeOf(kv.set(`${i}`, Buffer.alloc(1_000_000, 1)))
      expect(code).toBe('STORE_FULL')
      expect(await kv.get('first')).toEqual(value)
    })
  })
})
