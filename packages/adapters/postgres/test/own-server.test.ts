import { setTimeout as pause } from 'node:timers/promises'
import { type Bytes, isStoreError, keyValue, type Mutation, newVersion } from '@unikv/core'
import { apart, codeOf, type OwnServer, ownServer } from '@unikv/test-kit'
import { freshTable, testKilledServer } from '@unikv/test-kit/sql'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import pg, { type Pool } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type PostgresOptions, postgres, preparePostgres } from '../src/index.ts'

const value = Buffer.from('value')

describeWithOwn('postgres', () => {
  let server: OwnServer
  let sql: Pool
  const opened: { close(): Promise<void> }[] = []

  /** A KeyValue over a fresh table, each call by itself, perhaps as another user. */
  async function open(options: PostgresOptions = {}) {
    const table = freshTable()
    await preparePostgres({ url: server.url, table })
    const store = postgres({ url: server.url, table, ...options })
    opened.push(store)
    return { table, store, kv: keyValue(store, [], apart) }
  }

  /** The address for a new user with these rights, given as SQL with `?` for the user. */
  async function userUrl(options: string, ...grants: readonly string[]): Promise<URL> {
    const url = new URL(server.url)
    url.username = freshTable()
    await sql.query(`CREATE USER ${url.username} ${options}`)
    for (const grant of grants) await sql.query(grant.replace('?', url.username))
    return url
  }

  const all = 'GRANT ALL ON ALL TABLES IN SCHEMA public TO ?'

  beforeAll(async () => {
    server = await ownServer('postgres', { args: ['-c', 'lock_timeout=1s', '-c', 'deadlock_timeout=100ms'] })
    sql = new pg.Pool({ connectionString: server.url, max: 2 })
    sql.on('error', () => {})
  })
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
  })
  afterAll(async () => {
    await sql.end()
    await server.stop()
  })

  test('a read-only server is UNAVAILABLE, and after the failover the same store writes again', async () => {
    const { kv } = await open()
    await kv.set('key', value)
    await sql.query('ALTER SYSTEM SET default_transaction_read_only = on')
    await sql.query('SELECT pg_reload_conf()')
    const until = performance.now() + 10_000
    while ((await codeOf(kv.set('key', value))) === undefined && performance.now() < until) await pause(10)
    const calls = Array.from({ length: 20 }, (_, i) => codeOf(kv.set(`${i}`, value)))
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['UNAVAILABLE']))
    expect(await kv.get('key')).toEqual(value)
    await sql.query('ALTER SYSTEM RESET default_transaction_read_only')
    await sql.query('SELECT pg_reload_conf()')
    while ((await codeOf(kv.set('key', Buffer.from('again')))) !== undefined && performance.now() < until)
      await pause(10)
    expect(await kv.get('key')).toEqual(Buffer.from('again'))
  })

  test('missing privileges are ACCESS_DENIED, for writing as for preparing', async () => {
    const { table } = await open()
    const url = await userUrl('', `GRANT SELECT ON ${table} TO ?`)
    const { kv } = await open({ url, table })
    expect(await kv.get('key')).toBeUndefined()
    for (const call of [() => kv.set('key', value), () => kv.delete('key'), () => kv.increment('n')]) {
      expect(await codeOf(call())).toBe('ACCESS_DENIED')
    }
    expect(await codeOf(preparePostgres({ url, table: freshTable() }))).toBe('ACCESS_DENIED')
  })

  test('more connections than the user may have are OVERLOADED, and the rest of the calls are answered', async () => {
    const { table } = await open()
    const url = await userUrl('CONNECTION LIMIT 2', all)
    const { kv } = await open({ url, table })
    const codes = await Promise.all(Array.from({ length: 10 }, (_, i) => codeOf(kv.set(`${i}`, value))))
    expect(new Set(codes)).toEqual(new Set([undefined, 'OVERLOADED']))
    expect(await kv.get('0')).toEqual(value)
  })

  test('a lock that is not given in time is UNAVAILABLE: rolled back, worth another try', async () => {
    const { kv, table } = await open()
    await kv.set('key', value)
    const other = await sql.connect()
    await other.query(`BEGIN; SELECT * FROM ${table} WHERE k = 'key' FOR UPDATE`)
    const error = await kv.set('key', Buffer.from('2')).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: true })
    await other.query('ROLLBACK')
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
    const other = await sql.connect()
    await other.query(`SET deadlock_timeout = '10s'; BEGIN; SELECT * FROM ${table} WHERE k = 'b' FOR UPDATE`)
    const rows = ['a', 'b'].map((key) => ({ type: 'set', key, value, version: newVersion() }) as const)
    const batch = store.write(rows, { deadlineAt: performance.now() + 5_000 })
    await pause(50)
    await other.query(`SELECT * FROM ${table} WHERE k = 'a' FOR UPDATE; ROLLBACK; RESET deadlock_timeout`)
    other.release()
    const codes = (await batch).map((result) => isStoreError(result) && [result.code, result.retryable])
    expect(codes).toEqual([
      ['UNAVAILABLE', true],
      ['UNAVAILABLE', true],
    ])
    expect(await kv.getMany(['a', 'b'])).toEqual([value, value])
  })

  test('batches over the same keys in any order never wait for each other in a circle', async () => {
    const { store } = await open()
    const keys = Array.from({ length: 60 }, (_, i) => `key ${i}`)
    const call = () => ({ deadlineAt: performance.now() + 20_000 })
    const results = await Promise.all(
      Array.from({ length: 60 }, async (_, round) => {
        const shuffled = keys.toSorted(() => Math.random() - 0.5)
        const type = round % 2 === 0 ? 'set' : 'delete'
        const mutations = shuffled.map((key) => ({ type, key, value, version: newVersion() }))
        return store.write(mutations as Mutation<Bytes>[], call())
      }),
    )
    expect(results.flat().filter(isStoreError)).toEqual([])
  })

  testKilledServer(
    () => server,
    () => open(),
  )
})
