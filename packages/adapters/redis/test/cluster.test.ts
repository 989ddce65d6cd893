import { newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { Cluster } from 'ioredis'
import { expect, test } from 'vitest'
import { hashSlot } from '../src/cluster/hash-slot.ts'
import { redis } from '../src/index.ts'
import { bytes, fresh, keys, read, set, text, textOf, writeAll } from './fresh.ts'

const many = Array.from({ length: 300 }, (_, i) => `key ${i}`)

describeWith('redis-cluster', (url, urls) => {
  test('one URL finds all nodes, and every kind of mutation works', async () => {
    const [first] = urls
    const store = fresh({ url: `redis+cluster://${new URL(first as string).host}` })
    const results = await writeAll(store, [
      { type: 'increment', key: 'n', by: 2, initial: 0 },
      { type: 'set', key: 'a', value: bytes('a'), ifVersion: null },
      { type: 'set', key: 'b', value: bytes('b'), ifVersion: newVersion() },
      { type: 'touch', key: 'c', expiresAt: undefined },
      { type: 'set', key: 'd', value: bytes('d'), expiresAt: 'keep' },
    ])
    expect(results).toMatchObject([
      { value: 2 },
      { version: expect.any(String) },
      { conditionFailed: true },
      { conditionFailed: true },
      { version: expect.any(String) },
    ])
    const version = (results[1] as { readonly version: string }).version
    expect(await read(store, 'a', { ifNotVersion: version })).toMatchObject({ notModified: true })
    expect(store.native).toBeInstanceOf(Cluster)
    expect(store.capabilities.isolation).toBe('read-committed')
  })

  test('hash tags in keys are harmless', async () => {
    const store = fresh({ cluster: urls })
    const tagged = ['{a}b', '{a}c', '{}a', '{}{b}', '}{', '{{a}}', 'x{a', '{a}', 'é{ü}', '{😀}x']
    await writeAll(
      store,
      tagged.map((key) => ({ type: 'set', key, value: bytes(key) })),
    )
    const found = await store.read(
      tagged.map((key) => ({ key })),
      callOptions(),
    )
    expect(found.map(textOf)).toEqual(tagged)
    expect((await keys(store)).sort()).toEqual(tagged.toSorted())
    expect(hashSlot('{a}b')).toBe(hashSlot('{a}c'))
  })

  test('a write that replicas should have is OUTCOME_UNKNOWN on nodes without any', async () => {
    const store = fresh({ cluster: urls, replicas: { wait: 1, timeoutMs: 50 } })
    const mutations = many
      .slice(0, 20)
      .map((key) => ({ type: 'set', key, value: bytes(key), version: newVersion() }) as const)
    const call = { deadlineAt: performance.now() + 10_000, consistency: 'replicated' }
    const results = await store.write(mutations, call)
    expect(results).toMatchObject(mutations.map(({ version }) => ({ code: 'OUTCOME_UNKNOWN', version })))
    expect(await text(store, many[7] as string)).toBe(many[7])
  })

  test('a client handed in must not send twice, nor read from replicas', async () => {
    const options = { lazyConnect: true, retryDelayOnFailover: 0 }
    const right = new Cluster([url], options)
    const store = fresh({ client: right })
    await set(store, 'k', 'v')
    expect(await text(store, 'k')).toBe('v')
    right.disconnect()
    const wrong = [
      { lazyConnect: true },
      { ...options, scaleReads: 'slave' as const },
      { ...options, redisOptions: { keyPrefix: 'p' } },
      { ...options, clusterNodeRetryStrategy: () => 10 },
    ]
    for (const settings of wrong) {
      const client = new Cluster([url], settings)
      expect(() => redis({ client })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
      client.disconnect()
    }
  })
})
