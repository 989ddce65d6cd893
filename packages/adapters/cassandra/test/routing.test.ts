import { randomBytes } from 'node:crypto'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { Client } from 'cassandra-driver'
import { describe, expect, test, vi } from 'vitest'
import { murmur3 } from '../src/client/murmur3.ts'
import { routingOf } from '../src/client/routing.ts'
import type { CassandraQueryOptions } from '../src/index.ts'
import { cassandraBench, mutate } from './cassandra-bench.ts'

/** As a number of 64 bits. */
function tokenOf(key: Uint8Array): string {
  const { high, low } = murmur3(key)
  return String(BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low >>> 0)))
}

describeWith('cassandra', (url) => {
  const bench = cassandraBench(() => url)

  test('the token of a key is that which Cassandra itself has', async () => {
    const store = await bench.open()
    // Around the blocks of the hash, in letters of one to four bytes.
    const letters = ['a', 'é', '中', '😀', '\u0000', '\u007f', 'ÿ']
    const keys = Array.from({ length: 180 }, (_, i) =>
      Array.from({ length: 1 + (i % 45) }, (__, n) => letters[(i * 31 + n * n) % letters.length]).join(''),
    )
    for (const key of new Set(keys)) await mutate(store, { type: 'set', key, value: Buffer.from('value') })
    const rows = await bench.cql(`SELECT k, token(k) AS hash FROM ${bench.tableOf(store)}`)
    expect(rows).toHaveLength(new Set(keys).size)
    for (const { k, hash } of rows) expect(tokenOf(k as Buffer)).toBe(String(hash))
    await bench.discard(store)
  })

  test('the driver gets the tokens that it would find itself', async () => {
    const { client } = bench
    await client.connect()
    const routing = routingOf(client)
    for (let i = 0; i < 20_000; i++) {
      const key = randomBytes(1 + (i % 100))
      const found = routing(key) as ReturnType<typeof client.metadata.newToken>
      if (!found.equals(client.metadata.newToken(key))) expect(key.toString('hex')).toBe('another token')
    }
  })

  test('reads and writes take them along, and go where they would have gone', async () => {
    const store = await bench.open()
    const { client } = bench
    const asked = vi.spyOn(client, 'execute')
    await mutate(store, { type: 'set', key: 'key', value: Buffer.from('value') })
    await store.read([{ key: 'key' }, { key: 'other', head: true }], callOptions())
    const calls = asked.mock.calls as unknown as readonly [
      string,
      readonly unknown[],
      CassandraQueryOptions,
    ][]
    const routed = calls.map(([, params, { routingKey }]) => [params[0], routingKey])
    asked.mockRestore()
    const token = (key: string) => [Buffer.from(key), client.metadata.newToken(Buffer.from(key))]
    expect(routed.slice(-3)).toEqual([token('key'), token('key'), token('other')])
    await bench.discard(store)
  })
})

describe('a client whose tokens are not known', () => {
  const own = { connect: async () => {}, shutdown: async () => {}, execute: async () => ({}) }
  const fixed = { getValue: () => 1n, equals: () => false }

  test.each([
    ['has no metadata', own],
    ['is not connected yet', new Client({ contactPoints: ['127.0.0.1:1'], localDataCenter: 'none' })],
    ['has another partitioner', { ...own, metadata: { newToken: () => fixed } }],
  ])('%s: it finds them itself', (_, client) => {
    expect(routingOf(client as never)(Buffer.from('key'))).toBeUndefined()
  })
})
