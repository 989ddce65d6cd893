import { keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWith, describeWithOwn } from '@unikv/test-kit/vitest'
import { Cluster, Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashSlot } from '../src/hash-slot.ts'
import { redis } from '../src/index.ts'
import {
  bytes,
  codeOf,
  fresh,
  freshDataset,
  keys,
  read,
  set,
  text,
  textOf,
  track,
  write,
  writeAll,
} from './fresh.ts'

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

/** `redis-cli --cluster create` gives three nodes a third each. */
const firstSlotOfSecondNode = 5461

describeWithOwn('redis-cluster', () => {
  let server: OwnServer
  beforeAll(async () => {
    server = await ownServer('redis-cluster')
  })
  afterAll(() => server.stop())

  test('scripts that a node forgot are sent again', async () => {
    const store = fresh({ cluster: server.urls })
    for (let round = 1; round < 4; round++) {
      await Promise.all(store.native.nodes('master').map((node) => node.script('FLUSH')))
      const results = await writeAll(
        store,
        many.slice(0, 30).map((key) => ({ type: 'increment', key, by: 1, initial: 0 })),
      )
      expect(results.map((result) => (result as { readonly value: number }).value)).toEqual(
        Array.from({ length: 30 }, () => round),
      )
    }
  })

  test('slots that moved are followed, by reads and writes, singly and in batches', async () => {
    const store = fresh({ cluster: server.urls, dataset: 'moving' })
    const slotOf = (key: string) => hashSlot(`moving:${key}`)
    await writeAll(
      store,
      many.map((key) => ({ type: 'set', key, value: bytes(key) })),
    )
    const onFirst = many.filter((key) => slotOf(key) < firstSlotOfSecondNode)
    for (const key of onFirst.slice(0, 20)) await (await beginMove(server.urls, slotOf(key)))()
    const found = await store.read(
      many.map((key) => ({ key })),
      callOptions(),
    )
    expect(found.map(textOf)).toEqual(many)
    const results = await writeAll(
      store,
      many.map((key) => ({ type: 'set', key, value: bytes(`${key}!`) })),
    )
    expect(results.filter((result) => result instanceof Error)).toEqual([])
    for (const key of onFirst.slice(20, 30)) {
      await (await beginMove(server.urls, slotOf(key)))()
      await set(store, key, key)
      expect(await text(store, key)).toBe(key)
    }
    expect((await keys(store)).sort()).toEqual(many.toSorted())
  })

  test('a slot on its way is asked for where it is', async () => {
    const store = fresh({ cluster: server.urls, dataset: 'asking' })
    const key = many.find((one) => hashSlot(`asking:${one}`) < firstSlotOfSecondNode) as string
    await set(store, key, 'v')
    const done = await beginMove(server.urls, hashSlot(`asking:${key}`))
    // The key is no longer at its old node: that answers ASK.
    expect(await text(store, key)).toBe('v')
    expect(await write(store, { type: 'increment', key, by: 1, initial: 0 })).toMatchObject({
      code: 'INVALID_VALUE',
    })
    await set(store, key, 'w')
    expect((await store.read([{ key }, { key: 'other' }], callOptions())).map(textOf)).toEqual([
      'w',
      undefined,
    ])
    expect(await codeOf(keys(store))).toBe('UNAVAILABLE')
    await done()
    expect(await keys(store)).toEqual([key])
  })

  test('a master that is killed makes its keys UNAVAILABLE, sends no write, and is found again after its restart', async () => {
    const store = fresh({ cluster: server.urls })
    await writeAll(
      store,
      many.map((key) => ({ type: 'set', key, value: bytes(key) })),
    )
    await server.kill(1)
    await Promise.all(store.native.nodes('all').map((node) => node.ping().catch(() => {})))
    const call = callOptions()
    const results = await store.write(
      many.map((key) => ({ type: 'set' as const, key, value: bytes(key), version: newVersion() })),
      call,
    )
    const codes = new Set(results.map((result) => (result as { readonly code?: string }).code))
    expect([...codes].filter((code) => code !== undefined && code !== 'UNAVAILABLE')).toEqual([])
    expect(codes.has('UNAVAILABLE')).toBe(true)
    const found = await store.read(
      many.map((key) => ({ key })),
      callOptions(),
    )
    expect(found.some((result) => result instanceof Error)).toBe(true)
    expect(await codeOf(keys(store))).toBe('UNAVAILABLE')
    await server.restart(1)
    const startedAt = performance.now()
    let failed = many.length
    while (failed > 0 && performance.now() - startedAt < 20_000) {
      failed = (
        await writeAll(
          store,
          many.map((key) => ({ type: 'set', key, value: bytes(key) })),
        )
      ).filter((result) => result instanceof Error).length
      if (failed > 0) await new Promise((next) => setTimeout(next, 50))
    }
    expect(failed).toBe(0)
  })

  test('all nodes killed and restarted are found again', async () => {
    const store = fresh({ cluster: server.urls })
    await set(store, 'k', 'v')
    await server.kill()
    await codeOf(set(store, 'k', 'v'))
    expect(await codeOf(set(store, 'k', 'v'))).toBe('UNAVAILABLE')
    await server.restart()
    let code: string | undefined = 'UNAVAILABLE'
    const startedAt = performance.now()
    while (code !== undefined && performance.now() - startedAt < 20_000) {
      code = await codeOf(set(store, 'k', 'v'))
      if (code !== undefined) await new Promise((next) => setTimeout(next, 50))
    }
    expect(code).toBeUndefined()
  })
})

interface Node {
  readonly id: string
  readonly url: string
  readonly client: Redis
}

async function withNodes<T>(
  urls: readonly string[],
  work: (nodes: readonly [Node, Node, ...Node[]]) => Promise<T>,
): Promise<T> {
  const nodes = await Promise.all(
    urls.map(async (url) => {
      const client = new Redis(url)
      return { url, client, id: await client.cluster('MYID') }
    }),
  )
  try {
    return await work(nodes as [Node, Node, Node])
  } finally {
    for (const { client } of nodes) client.disconnect()
  }
}

/**
 * Move a slot with its keys from the first node to the second, and answer how to end the move. Always the same
 * way: a node that gives slots away right after it got some may take them back by its gossip.
 */
async function beginMove(urls: readonly string[], slot: number): Promise<() => Promise<void>> {
  await withNodes(urls, async ([from, to]) => {
    await to.client.cluster('SETSLOT', slot, 'IMPORTING', from.id)
    await from.client.cluster('SETSLOT', slot, 'MIGRATING', to.id)
    const names = await from.client.cluster('GETKEYSINSLOT', slot, 1_000)
    const { hostname, port } = new URL(to.url)
    if (names.length > 0) await from.client.call('MIGRATE', hostname, port, '', '0', '5000', 'KEYS', ...names)
  })
  return () =>
    withNodes(urls, async ([from, to, ...others]) => {
      for (const { client } of [to, from, ...others]) await client.cluster('SETSLOT', slot, 'NODE', to.id)
    })
}
