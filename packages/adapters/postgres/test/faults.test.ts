import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError, keyValue } from '@unikv/core'
import { codeOf, mutate } from '@unikv/test-kit'
import { proxied, testFaults } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { postgresBench } from './postgres-bench.ts'

const value = Buffer.from('value')

describeWith('postgres', (url) => {
  const bench = postgresBench(url)
  const behindProxy = proxied(bench)
  testFaults(bench, behindProxy)

  test('calls that wait for a connection end with the store', async () => {
    const { proxy, store } = await behindProxy({ maxConnections: 1 })
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
      return { store, result, now: Buffer.from((await direct.get('key')) ?? []).toString() }
    }

    async function areAlive(table: string): Promise<boolean> {
      const { rows } = await bench.sql.query(
        'SELECT 1 FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE $1',
        [`%"${table}"%`],
      )
      return rows.length > 0
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
        // So that their ends have come, and were seen, here too.
        while (await areAlive(table)) await pause(20)
        await pause(500)
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
