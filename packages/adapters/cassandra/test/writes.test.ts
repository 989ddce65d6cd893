import { isStoreError, isWritten, keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { cassandra } from '../src/index.ts'
import { cassandraBench, codeOf, mutate } from './cassandra-bench.ts'

const value = Buffer.from('value')
const farMs = 10_000_000

describeWith('cassandra', (url) => {
  const bench = cassandraBench(() => url)

  test('writes of one process take effect in its order, however fast they follow each other', async () => {
    const store = await bench.open()
    const second = bench.reopen(store)
    // While a store is opening its calls wait, and the other one's overtake them.
    for (const one of [store, second]) await one.read([{ key: 'key' }], callOptions())
    for (let round = 0; round < 50; round++) {
      // Sent together on one connection, over two stores: the order is that of their timestamps.
      const last = Buffer.from(`round ${round}`)
      const writes = [
        mutate(store, { type: 'set', key: 'key', value }),
        mutate(second, { type: 'delete', key: 'key' }),
        mutate(store, { type: 'set', key: 'key', value: last }),
      ]
      expect((await Promise.all(writes)).every(isWritten)).toBe(true)
      expect(await keyValue(second).get('key')).toEqual(last)
    }
    await bench.discard(store)
  })

  test('the cell of a record is read by CQL as version, expiry and value', async () => {
    const store = await bench.open()
    const version = newVersion()
    const cell = `SELECT record.version AS version, record.expires_at AS expires_at, record.value AS value FROM ${bench.tableOf(store)}`
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(100_000, 7)])
      for (const expiresAt of [undefined, Date.now() + farMs, Date.now() + farMs + 0.7]) {
        const written = await mutate(store, { type: 'set', key: 'key', value: bytes, version, expiresAt })
        expect(isWritten(written)).toBe(true)
        const end = new Date(expiresAt === undefined ? 253_402_300_799_999 : Math.floor(expiresAt))
        expect(await bench.cql(cell)).toEqual([
          { version: Buffer.from(version, 'hex'), expires_at: end, value: bytes },
        ])
      }
    await bench.discard(store)
  })

  test('a batch beyond its width is cut at the deadline: what was not sent is certain', async () => {
    const asked: (() => void)[] = []
    const execute = (cql: string): Promise<unknown> => {
      if (cql.startsWith('SELECT comment'))
        return Promise.resolve({ rows: [{ comment: 'unikv 1 bytes plain' }] })
      if (cql.startsWith('SELECT field_names'))
        return Promise.resolve({ rows: [{ field_names: ['version', 'expires_at', 'value'] }] })
      return new Promise((resolve) => asked.push(() => resolve({})))
    }
    const client = { connect: async () => {}, shutdown: async () => {}, execute } as never
    const store = cassandra({ client, keyspace: 'k', concurrency: 2 })
    const ended = new AbortController()
    const call = callOptions({ signal: ended.signal })
    const mutations = ['a', 'b', 'c', 'd'].map(
      (key) => ({ type: 'set', key, value, version: newVersion() }) as const,
    )
    const answer = store.write(mutations, call)
    while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve))
    asked[0]?.()
    while (asked.length < 3) await new Promise((resolve) => setImmediate(resolve))
    ended.abort()
    const codes = (await answer).map((result) => (isStoreError(result) ? result.code : 'written'))
    expect(codes).toEqual(['written', 'OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN', 'ABORTED'])
    asked[1]?.()
    await new Promise((resolve) => setImmediate(resolve))
    expect([asked.length, call.sent]).toEqual([3, true])
  })

  test('a value larger than the server takes is VALUE_TOO_LARGE, and the connection serves on', async () => {
    const opened = await bench.open()
    const table = bench.tableOf(opened).replace(/.*\./, '')
    const large = 5 * 1_024 * 1_024
    const base = { client: bench.client, keyspace: bench.keyspace, table }
    const kv = keyValue(cassandra({ ...base, maxValueBytes: large }))
    expect(await codeOf(kv.set('key', Buffer.alloc(large, 1)))).toBe('VALUE_TOO_LARGE')
    await kv.set('key', value)
    expect(await kv.get('key')).toEqual(value)
    await bench.discard(opened)
  })

  describe.each([
    ['plain writes', false],
    ['conditions', true],
  ])('%s', (_, conditions) => {
    test('a record lives on the server a minute longer than it is shown, and then for ever where it has no expiry', async () => {
      const store = await bench.open(conditions)
      const column = conditions ? 'value' : 'record'
      const left = async (): Promise<unknown> => {
        const cql = `SELECT TTL(${column}) AS ttl FROM ${bench.tableOf(store)} WHERE k = ?`
        return (await bench.cql(cql, [Buffer.from('key')]))[0]?.['ttl']
      }
      await mutate(store, { type: 'set', key: 'key', value, expiresAt: Date.now() + 100_500 })
      expect(await left()).toBeGreaterThan(150)
      expect(await left()).toBeLessThanOrEqual(161)
      const entry = await keyValue(store).getEntry('key')
      await mutate(store, { type: 'set', key: 'key', value, expiresAt: 'keep' })
      expect((await keyValue(store).getEntry('key'))?.expiresAt).toBe(entry?.expiresAt)
      expect(await left()).toBeGreaterThan(140)
      await mutate(store, { type: 'set', key: 'key', value })
      expect(await left()).toBeNull()
      await bench.discard(store)
    })

    test('an expiry beyond the limits of Cassandra is kept all the same', async () => {
      const store = await bench.open(conditions)
      const expiresAt = Date.now() + 90 * 365 * 86_400_000
      expect(isWritten(await mutate(store, { type: 'set', key: 'key', value, expiresAt }))).toBe(true)
      expect((await keyValue(store).getEntry('key'))?.expiresAt).toBe(expiresAt)
      await bench.discard(store)
    })

    test('a level that the cluster cannot give fails that item alone, in time', async () => {
      const store = await bench.open(conditions)
      const kv = keyValue(store)
      await kv.set('key', value)
      expect(await codeOf(kv.set('key', value, { consistency: 'three' }))).toBe('UNAVAILABLE')
      expect(await codeOf(kv.get('key', { consistency: 'two' }))).toBe('UNAVAILABLE')
      expect(await codeOf(kv.get('key', { consistency: 'most' }))).toBe('UNSUPPORTED')
      expect(await kv.get('key', { consistency: 'eventual' })).toEqual(value)
      await bench.discard(store)
    })

    test('a cursor that no cluster gave is refused', async () => {
      const store = await bench.open(conditions)
      const range = { prefix: '', pageSize: 1, values: false, resume: 'abcdef' }
      const first = async (): Promise<unknown> => {
        const pages = store.scan(range, { deadlineAt: performance.now() + 5_000 })
        return (pages as AsyncIterable<unknown>)[Symbol.asyncIterator]().next()
      }
      expect(await codeOf(first())).toBe('INVALID_ARGUMENT')
      await bench.discard(store)
    })
  })
})
