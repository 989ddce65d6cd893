import { newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashSlot } from '../src/cluster/hash-slot.ts'
import { bytes, codeOf, fresh, keys, set, text, textOf, write, writeAll } from './fresh.ts'

const many = Array.from({ length: 300 }, (_, i) => `key ${i}`)

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
