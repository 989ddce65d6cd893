import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError, keyValue, newVersion } from '@unikv/core'
import { type FaultProxy, faultProxy } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterEach, describe, expect, test } from 'vitest'
import type { PostgresOptions } from '../src/index.ts'
import { codeOf, mutate, postgresBench } from './postgres-bench.ts'

const value = Buffer.from('value')

describeWith('postgres', (url) => {
  const bench = postgresBench(url)
  const proxies: FaultProxy[] = []
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close()
  })

  /** A store behind a proxy, already in touch with the server. */
  async function behindProxy(limits: Pick<PostgresOptions, 'connectionLimit' | 'queueLimit'> = {}) {
    const table = await bench.table()
    const proxy = await faultProxy(url)
    proxies.push(proxy)
    const store = bench.store({ ...limits, url: proxy.url, table })
    await store.read([{ key: 'warm' }], { deadlineAt: Number.POSITIVE_INFINITY })
    return { proxy, store, table, direct: keyValue(bench.store({ url, table })) }
  }

  test('a deadline covers the wait for a connection, and what waited was certainly not sent', async () => {
    const { proxy, store, direct } = await behindProxy({ connectionLimit: 1 })
    await mutate(store, { type: 'set', key: 'a', value })
    const held = proxy.inject({ kind: 'hold', side: 'response' })
    const blocking = mutate(store, { type: 'set', key: 'a', value }, 700)
    await held.struck
    expect(await mutate(store, { type: 'set', key: 'b', value }, 100)).toMatchObject({ code: 'TIMEOUT' })
    const aborted = new AbortController()
    const call = { deadlineAt: performance.now() + 5_000, signal: aborted.signal }
    const waiting = store.write([{ type: 'set', key: 'c', value, version: newVersion() }], call)
    aborted.abort()
    expect(await blocking).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    proxy.pass()
    expect((await waiting)[0]).toMatchObject({ code: 'ABORTED' })
    expect(await direct.getMany(['b', 'c'])).toEqual([undefined, undefined])
  })

  test('more statements than may wait are OVERLOADED at once', async () => {
    const { proxy, store } = await behindProxy({ connectionLimit: 1, queueLimit: 3 })
    proxy.inject({ kind: 'hold', side: 'response' })
    const calls = Array.from({ length: 10 }, (_, i) =>
      codeOf(mutate(store, { type: 'set', key: `${i}`, value }, 500)),
    )
    const startedAt = performance.now()
    const firstRefused = await Promise.any(
      calls.map(async (call) =>
        (await call) === 'OVERLOADED' ? performance.now() : Promise.reject(new Error('not refused')),
      ),
    )
    expect(firstRefused - startedAt).toBeLessThan(400)
    expect((await Promise.all(calls)).filter((code) => code === 'OVERLOADED').length).toBeGreaterThanOrEqual(
      6,
    )
  })

  test('an event loop that was blocked for longer than the deadline does not time out what was answered', async () => {
    // Not by the proxy, which is of this process and is blocked too.
    const store = bench.store({ url, table: await bench.table() })
    await mutate(store, { type: 'set', key: 'key', value })
    const call = { deadlineAt: performance.now() + 100 }
    const answer = store.read([{ key: 'key' }], call)
    await pause(0)
    await new Promise((resolve) => setImmediate(resolve)) // it is sent
    const until = performance.now() + 300
    while (performance.now() < until);
    expect((await answer)[0]).toMatchObject({ value })
  })

  test('closing while the server is silent ends within its patience and leaves nothing', async () => {
    const { proxy, store } = await behindProxy()
    proxy.inject({ kind: 'blackHole' })
    const call = codeOf(mutate(store, { type: 'set', key: 'key', value }, 60_000))
    await pause(50)
    const startedAt = performance.now()
    await store.close()
    expect(performance.now() - startedAt).toBeLessThan(3_000)
    expect(await call).toMatch(/OUTCOME_UNKNOWN|UNAVAILABLE|CLOSED/)
  })

  test('a page of a scan that fails is an error, never the end of the scan', async () => {
    const { proxy, store } = await behindProxy()
    const kv = keyValue(store)
    await kv.setMany(Array.from({ length: 50 }, (_, i) => [`key ${i}`, value]))
    const seen: string[] = []
    const scan = async () => {
      for await (const key of kv.keys({ pageSize: 10 })) {
        seen.push(key)
        if (seen.length === 20) proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
      }
    }
    await expect(scan()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(seen).toHaveLength(20)
  })

  test('calls that wait for a connection end with the store', async () => {
    const { proxy, store } = await behindProxy({ connectionLimit: 1 })
    proxy.inject({ kind: 'blackHole' })
    const calls = Array.from({ length: 5 }, (_, i) =>
      codeOf(mutate(store, { type: 'set', key: `${i}`, value }, 60_000)),
    )
    await pause(50)
    await store.close()
    const codes = await Promise.all(calls)
    expect(codes[0]).toBe('OUTCOME_UNKNOWN')
    expect(new Set(codes.slice(1))).toEqual(new Set(['CLOSED']))
  })

  describe('connections that the server ends', () => {
    /** The server processes of this table's statements that are stuck. */
    const stuck = async (table: string): Promise<number[]> => {
      const { rows } = await bench.sql.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
        [`%"${table}"%`],
      )
      return rows.map(({ pid }) => pid)
    }

    /** The result of an increment that was stuck in the server when `act` was done to it. */
    async function whileStuck(act: (pid: number) => Promise<unknown>) {
      const { store, direct, table } = await behindProxy()
      await mutate(store, { type: 'set', key: 'key', value: Buffer.from('1') })
      const client = await bench.sql.connect()
      await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`)
      const blocked = mutate(store, { type: 'increment', key: 'key', by: 1, initial: 0 })
      let pids: number[] = []
      while (pids.length === 0) pids = await stuck(table)
      await act(pids[0] as number)
      const result = await blocked
      await client.query('ROLLBACK')
      client.release()
      return { store, result, now: (await direct.get('key'))?.toString() }
    }

    test('are replaced without a word while they are idle', async () => {
      const table = await bench.table()
      const names = [`ours ${table}`, `theirs ${table}`]
      const pool = bench.pool({ application_name: names[1] as string })
      const own = new URL(url)
      const stores = [bench.store({ url: own, table }), bench.store({ pool, table })]
      for (let round = 0; round < 3; round++) {
        for (const store of stores) {
          const kv = keyValue(store, [], { coalesce: false })
          await Promise.all(Array.from({ length: 10 }, (_, i) => kv.set(`${i}`, value)))
        }
        await bench.sql.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE $1',
          [`%"${table}"%`],
        )
        await pause(100)
        for (const store of stores) expect(await keyValue(store).get('1')).toEqual(value)
      }
    })

    test('leave a statement under way as OUTCOME_UNKNOWN', async () => {
      const { store, result, now } = await whileStuck((pid) =>
        bench.sql.query('SELECT pg_terminate_backend($1)', [pid]),
      )
      expect(isStoreError(result) ? [result.code, now] : [result, now]).toEqual(['OUTCOME_UNKNOWN', '1'])
      const next = await mutate(store, { type: 'increment', key: 'key', by: 1, initial: 0 })
      expect(next).toMatchObject({ value: 2 })
    })

    test('are kept where only the statement is cancelled: it was rolled back', async () => {
      const { store, result, now } = await whileStuck((pid) =>
        bench.sql.query('SELECT pg_cancel_backend($1)', [pid]),
      )
      expect([result, now]).toEqual([expect.objectContaining({ code: 'UNAVAILABLE', retryable: true }), '1'])
      const next = await mutate(store, { type: 'increment', key: 'key', by: 1, initial: 0 })
      expect(next).toMatchObject({ value: 2 })
    })
  })

  test('a connection that the application gives back inside a transaction takes no write', async () => {
    const table = await bench.table()
    const pool = bench.pool({ max: 1 })
    const kv = keyValue(bench.store({ pool, table }))
    await kv.set('key', value)
    for (const left of ['BEGIN', 'BEGIN; SELECT 1 / 0']) {
      const client = await pool.connect()
      await client.query(left).catch(() => {})
      client.release()
      expect(await codeOf(kv.set('key', Buffer.from('lost')))).toBe('UNAVAILABLE')
      await kv.set('key', Buffer.from(left))
      expect(await keyValue(bench.store({ url, table })).get('key')).toEqual(Buffer.from(left))
    }
  })

  test('a connection that forgot its prepared statements is replaced', async () => {
    const table = await bench.table()
    const pool = bench.pool({ max: 1 })
    const kv = keyValue(bench.store({ pool, table }))
    await kv.set('key', value)
    await pool.query('DEALLOCATE ALL')
    const error = await kv.set('key', value).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'UNAVAILABLE', retryable: true })
    await kv.set('key', value)
  })

  test('two stores of different tables share a pool and its prepared statements', async () => {
    const pool = bench.pool({ max: 1 })
    const [one, two] = [await bench.table(), await bench.table()].map((table) =>
      keyValue(bench.store({ pool, table })),
    )
    await one?.set('key', Buffer.from('1'))
    await two?.set('key', Buffer.from('2'))
    expect([await one?.get('key'), await two?.get('key')]).toEqual([Buffer.from('1'), Buffer.from('2')])
  })
})
