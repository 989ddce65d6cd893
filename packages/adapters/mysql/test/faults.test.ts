import { setTimeout as pause } from 'node:timers/promises'
import { type Bytes, isStoreError, keyValue, type Mutation, newVersion } from '@unikv/core'
import { apart, codeOf, mutate, resultsOf } from '@unikv/test-kit'
import { type OpenSql, proxied, testFaults } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { drivers, mysqlBench } from './mysql-bench.ts'

const value = Buffer.from('value')

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)

  describe.each(drivers)('by %s', (driver) => {
    const open: OpenSql = (options) => bench.store({ ...options, driver })
    const behindProxy = proxied(bench, open)
    testFaults(bench, behindProxy, open)

    const mutations: readonly (readonly [
      string,
      (version: string) => Mutation<Bytes>,
      string | undefined,
    ])[] = [
      ['a set', (version) => ({ type: 'set', key: 'n', value: Buffer.from('2'), version }), '2'],
      [
        'a set under a condition',
        (version) => ({ type: 'set', key: 'n', value: Buffer.from('2'), version, ifVersion: first }),
        '2',
      ],
      ['an increment', (version) => ({ type: 'increment', key: 'n', by: 1, initial: 0, version }), '2'],
      ['a delete', (version) => ({ type: 'delete', key: 'n', version }), undefined],
      ['a touch', (version) => ({ type: 'touch', key: 'n', version, expiresAt: Date.now() + 60_000 }), '1'],
    ]
    const first = newVersion()

    test.each(mutations)(
      '%s whose answer is lost is OUTCOME_UNKNOWN, and took effect once',
      async (_, mutation, after) => {
        const { proxy, store, direct } = await behindProxy()
        await mutate(store, { type: 'set', key: 'n', value: Buffer.from('1'), version: first })
        await mutate(store, mutation(newVersion())) // its statement is prepared now
        await mutate(store, { type: 'set', key: 'n', value: Buffer.from('1'), version: first })
        proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
        expect(await mutate(store, mutation(newVersion()))).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
        expect(await direct.get('n')).toEqual(after === undefined ? undefined : Buffer.from(after))
        expect(await codeOf(keyValue(store).get('n'))).toBeUndefined()
      },
    )

    test('in a batch that loses an answer, what was answered is told', async () => {
      const { proxy, store } = await behindProxy({ maxConnections: 1 })
      const kv = keyValue(store)
      const entries = Array.from({ length: 9 }, (_, i) => [`key ${i}`, value] as const) // eight rows and one row
      await kv.setMany(entries)
      proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
      const results = await resultsOf(kv.setMany(entries))
      const codes = results.map((result) => (isStoreError(result) ? result.code : 'written'))
      expect(codes).toEqual([...Array.from({ length: 8 }, () => 'OUTCOME_UNKNOWN'), 'written'])
    })

    test('a write whose statement was never executed is UNAVAILABLE: certainly not applied', async () => {
      const { proxy, store, direct } = await behindProxy()
      proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 }) // the answer to preparing it
      expect(await mutate(store, { type: 'set', key: 'n', value })).toMatchObject({
        code: 'UNAVAILABLE',
        retryable: true,
      })
      expect(await direct.get('n')).toBeUndefined()
    })

    test('a write that is cut in the middle of its frame leaves no half value', async () => {
      const { proxy, store, direct } = await behindProxy()
      await mutate(store, { type: 'set', key: 'n', value })
      const large = Buffer.alloc(500_000, 1)
      proxy.inject({ kind: 'cut', side: 'request', afterBytes: 200_000 })
      expect(await mutate(store, { type: 'set', key: 'n', value: large })).toMatchObject({
        code: 'OUTCOME_UNKNOWN',
      })
      expect(await direct.get('n')).toEqual(value)
    })

    test('a read whose answer is lost is UNAVAILABLE, and the next one is answered', async () => {
      const { proxy, store } = await behindProxy()
      proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
      const kv = keyValue(store)
      await expect(kv.get('key')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true })
      expect(await kv.get('key')).toBeUndefined()
    })

    test('a black hole ends every call at its deadline: reads TIMEOUT, sent writes OUTCOME_UNKNOWN', async () => {
      const { proxy, store } = await behindProxy()
      const kv = keyValue(store, [], apart)
      await kv.set('key', value)
      proxy.inject({ kind: 'blackHole' })
      const settings = { timeoutMs: 300 }
      const codes = await Promise.all([
        codeOf(kv.get('key', settings)),
        codeOf(kv.getMany(['a', 'b'], settings)),
        codeOf(mutate(store, { type: 'set', key: 'key', value }, 300)),
        codeOf(mutate(store, { type: 'increment', key: 'new connection', by: 1, initial: 0 }, 300)),
      ])
      expect(codes[0]).toBe('TIMEOUT')
      expect(codes[1]).toMatch(/TIMEOUT|PARTIAL/)
      expect(codes.slice(2).every((code) => code === 'OUTCOME_UNKNOWN' || code === 'TIMEOUT')).toBe(true)
      proxy.pass()
      expect(await kv.get('key')).toEqual(value)
    })

    test('a late answer reaches nobody else', async () => {
      const { proxy, store, table } = await behindProxy({ maxConnections: 1 })
      const kv = keyValue(store, [], apart)
      await kv.setMany([
        ['a', Buffer.from('of a')],
        ['b', Buffer.from('of b')],
      ])
      await kv.get('a')
      const held = proxy.inject({ kind: 'hold', side: 'response' })
      const late = codeOf(kv.get('a', { timeoutMs: 200 }))
      await held.struck
      expect(await late).toBe('TIMEOUT')
      const next = kv.get('b')
      proxy.pass()
      expect(Buffer.from((await next) ?? []).toString()).toBe('of b')
      expect(await keyValue(bench.store({ url, table })).get('a')).toEqual(Buffer.from('of a'))
    })

    describe('connections that the server kills', () => {
      test('are replaced without a word while they are idle', async () => {
        const own = await behindProxy()
        const kv = keyValue(own.store)
        for (let round = 0; round < 5; round++) {
          await Promise.all(Array.from({ length: 10 }, (_, i) => kv.set(`${i}`, value)))
          own.proxy.inject({ kind: 'reset' })
          await pause(20)
          own.proxy.pass()
          expect(await kv.get('1')).toEqual(value)
        }
      })

      test('end a statement under way as OUTCOME_UNKNOWN or as done, never as not done', async () => {
        const { store, direct, table } = await behindProxy()
        const connection = await bench.sql.getConnection()
        await mutate(store, { type: 'set', key: 'key', value: Buffer.from('1') })
        await connection.query(`LOCK TABLES ${table} READ`)
        const blocked = mutate(store, { type: 'increment', key: 'key', by: 1, initial: 0 })
        await pause(100)
        const [rows] = await connection.query(
          'SELECT id FROM information_schema.processlist WHERE info LIKE ?',
          [`INSERT INTO \`${table}\`%`],
        )
        await connection.query(`KILL ${(rows as { id: number }[])[0]?.id}`)
        await connection.query('UNLOCK TABLES')
        connection.release()
        const result = await blocked
        const now = Buffer.from((await direct.get('key')) ?? []).toString()
        expect(isStoreError(result) ? [result.code, now] : [result, now]).toEqual(['OUTCOME_UNKNOWN', '1'])
        expect(await mutate(store, { type: 'increment', key: 'key', by: 1, initial: 0 })).toMatchObject({
          value: 2,
        })
      })
    })
  })
})
