import { keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { Cluster } from 'ioredis'
import { expect, test } from 'vitest'
import { hashSlot } from '../src/cluster/hash-slot.ts'
import { redis } from '../src/index.ts'
import { bytes, fresh, freshDataset, keys, read, set, text, textOf, track, write, writeAll } from './fresh.ts'

const many = Array.from({ length: 300 }, (_, i) => `key ${i}`)

describeWith('redis-cluster', (url, urls) => {
  test('a batch over all nodes answers item by item', async () => {
    const store = fresh({ cluster: urls })
    const written = await writeAll(
      store,
      many.map((key, i) => ({
        type: 'set',
        key,
        value: bytes(key),
        expiresAt: i % 2 === 0 ? undefined : Date.now() + 60_000,
      })),
    )
    expect(written.every((result) => 'version' in result && !(result instanceof Error))).toBe(true)
    const found = await store.read(
      [...many, 'absent'].map((key) => ({ key })),
      callOptions(),
    )
    expect(found.map(textOf)).toEqual([...many, undefined])
    await writeAll(
      store,
      many.map((key) => ({ type: 'delete', key })),
    )
    expect(
      (
        await store.read(
          many.map((key) => ({ key, head: true })),
          callOptions(),
        )
      ).every((result) => result === undefined),
    ).toBe(true)
  })

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

  test('a scan lists all nodes, exactly, and goes on from any page', async () => {
    const store = fresh({ cluster: urls })
    await writeAll(
      store,
      many.map((key) => ({ type: 'set', key, value: bytes(key) })),
    )
    expect((await keys(store, '', 7)).sort()).toEqual(many.toSorted())
    expect((await keys(store, 'key 1', 1_000)).sort()).toEqual(
      many.filter((key) => key.startsWith('key 1')).sort(),
    )
    const seen = new Set<string>()
    let resume: string | undefined
    do {
      for await (const page of store.scan(
        { prefix: '', pageSize: 20, values: true, resume },
        callOptions(),
      )) {
        for (const { key, entry } of page.entries) {
          seen.add(key)
          expect(textOf(entry)).toBe(key)
        }
        resume = page.resume
        break
      }
    } while (resume !== undefined)
    expect(seen.size).toBe(many.length)
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

  test('of many clients that create a key one wins', async () => {
    const dataset = freshDataset()
    const stores = Array.from({ length: 6 }, () => track(redis({ cluster: urls, dataset })))
    for (const key of many.slice(0, 10)) {
      const results = await Promise.all(
        stores.map((store) => write(store, { type: 'set', key, value: bytes('x'), ifVersion: null })),
      )
      expect(results.filter((result) => !('conditionFailed' in result))).toHaveLength(1)
    }
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

  test('KeyValue works over it', async () => {
    const kv = keyValue(redis({ cluster: urls, dataset: freshDataset() }))
    await kv.setMany(many.map((key) => [key, bytes(key)]))
    expect(await kv.count()).toBe(300)
    expect(await kv.clear({ all: true })).toBe(300)
    await kv.close()
  })
})
