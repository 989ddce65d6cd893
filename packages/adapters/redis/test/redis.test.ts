import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { bytes, codeOf, fresh, keys, read, set, text, write, writeAll } from './fresh.ts'

describeWith('redis', (url) => {
  test('the body of a record that did not change, or of which only the head is asked, stays on the server', async () => {
    const store = fresh({ url })
    const version = await set(store, 'large', 'x'.repeat(1_000_000))
    const before = await sentBytes(store.native)
    await read(store, 'large', { ifNotVersion: version })
    await read(store, 'large', { head: true })
    expect((await sentBytes(store.native)) - before).toBeLessThan(20_000)
  })

  test('a batch is a single command where one is enough', async () => {
    const store = fresh({ url })
    const many = Array.from({ length: 100 }, (_, i) => `k${i}`)
    await writeAll(
      store,
      many.map((key) => ({ type: 'set', key, value: bytes(key) })),
    )
    const seen = await commandsDuring(store.native, async () => {
      await writeAll(
        store,
        many.map((key) => ({ type: 'set', key, value: bytes(key) })),
      )
      await writeAll(
        store,
        many.map((key) => ({ type: 'set', key, value: bytes(key), expiresAt: Date.now() + 60_000 })),
      )
      await store.read(
        many.map((key) => ({ key })),
        callOptions(),
      )
      await writeAll(
        store,
        many.map((key) => ({ type: 'delete', key })),
      )
    })
    // A server that does not know a script yet is sent its text.
    expect(seen.filter((name) => name !== 'lua' && name !== 'eval')).toEqual([
      'mset',
      'evalsha',
      'mget',
      'evalsha',
    ])
  })

  test('scripts that the server forgot are sent again', async () => {
    const store = fresh({ url })
    await set(store, 'n', '1')
    for (let i = 0; i < 3; i++) {
      await (store.native as Redis).script('FLUSH')
      const results = await writeAll(store, [
        { type: 'increment', key: 'n', by: 1, initial: 0 },
        { type: 'set', key: 'x', value: bytes('x'), ifVersion: null },
        { type: 'touch', key: 'n', expiresAt: undefined },
      ])
      expect(results[0]).toMatchObject({ value: 2 + i })
      expect(results[2]).toMatchObject({ version: expect.any(String) })
    }
  })

  test('a client that makes pipelines by itself may be handed in', async () => {
    const client = new Redis(url, { autoResendUnfulfilledCommands: false, enableAutoPipelining: true })
    const store = fresh({ client })
    await set(store, 'a', '1')
    const results = await writeAll(store, [
      { type: 'set', key: 'b', value: bytes('b') },
      { type: 'set', key: 'é', value: bytes('c'), expiresAt: Date.now() + 60_000 },
    ])
    expect(results.filter((result) => result instanceof Error)).toEqual([])
    expect(await write(store, { type: 'increment', key: 'a', by: 1, initial: 0 })).toMatchObject({ value: 2 })
    expect(await codeOf(write(store, { type: 'increment', key: 'b', by: 1, initial: 0 }))).toBe(
      'INVALID_VALUE',
    )
    expect((await keys(store)).toSorted()).toEqual(['a', 'b', 'é'])
    expect(await write(store, { type: 'delete', key: 'a' })).not.toBeInstanceOf(Error)
    expect(await text(store, 'a')).toBeUndefined()
    client.disconnect()
  })

  test('the native client can be had before the first call, and is the one of the store', async () => {
    const store = fresh({ url })
    const client = store.native
    expect(await client.ping()).toBe('PONG')
    await set(store, 'k', 'v')
    expect(store.native).toBe(client)
  })

  test('many first calls at once open one connection', async () => {
    const store = fresh({ url })
    const before = await clients(url)
    await Promise.all(Array.from({ length: 50 }, (_, i) => set(store, `k${i}`, 'v')))
    expect((await clients(url)) - before).toBe(1)
  })
})

async function sentBytes(native: unknown): Promise<number> {
  const info = await (native as Redis).info('stats')
  return Number(/total_net_output_bytes:(\d+)/.exec(info)?.[1])
}

async function clients(url: string): Promise<number> {
  const client = new Redis(url)
  const list = (await client.client('LIST')) as string
  client.disconnect()
  return list.trim().split('\n').length
}

async function commandsDuring(native: unknown, work: () => Promise<void>): Promise<string[]> {
  const monitor = await (native as Redis).duplicate({ lazyConnect: false }).monitor()
  const seen: string[] = []
  const own = await (native as Redis).client('INFO')
  const address = /addr=(\S+)/.exec(own)?.[1]
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    if (source === address) seen.push(args[0] as string)
  })
  await work()
  await (native as Redis).echo('end')
  while (!seen.includes('echo')) await new Promise((done) => setTimeout(done, 5))
  monitor.disconnect()
  return seen.slice(0, seen.indexOf('echo'))
}
