import { type FaultProxy, faultProxy, type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { createClient, createClientPool, createCluster, createSentinel } from 'redis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { redis } from '../src/index.ts'
import { codeOf, fresh, read, set, text } from './fresh.ts'

describeWithOwn('redis', () => {
  let server: OwnServer
  let proxy: FaultProxy

  beforeAll(async () => {
    server = await ownServer('redis')
    proxy = await faultProxy(server.url)
  })
  beforeEach(() => proxy.pass())
  afterAll(async () => {
    await proxy.close()
    await server.stop()
  })

  describe('a client of ioredis that was handed in', () => {
    const never = { autoResendUnfulfilledCommands: false, lazyConnect: true }

    test('is refused if it could send a command twice, or changes keys', () => {
      for (const options of [{}, { autoResendUnfulfilledCommands: true }, { ...never, keyPrefix: 'p:' }]) {
        const client = new Redis(server.url, { lazyConnect: true, ...options })
        expect(() => fresh({ client })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
        client.disconnect()
      }
    })

    test('that its owner closed is UNAVAILABLE and stays closed', async () => {
      const client = new Redis(server.url, never)
      const store = fresh({ client })
      await set(store, 'k', 'v')
      await client.quit()
      await new Promise((done) => setImmediate(done))
      expect(await codeOf(read(store, 'k'))).toBe('UNAVAILABLE')
      expect(client.status).toBe('end')
    })

    test('that is connecting again is waited for', async () => {
      const client = new Redis(proxy.url, { ...never, retryStrategy: () => 20, maxRetriesPerRequest: 0 })
      client.on('error', () => {})
      const store = fresh({ client })
      await set(store, 'k', 'v')
      proxy.inject({ kind: 'reset' })
      await new Promise<void>((done) => client.once('reconnecting', () => done()))
      proxy.pass()
      expect(await text(store, 'k')).toBe('v')
      client.disconnect()
    })
  })

  describe('a client of node-redis that was handed in', () => {
    test('leaves what it says to its owner as it was', async () => {
      const client = await createClient({ url: server.url, RESP: 2 }).connect()
      const store = fresh({ client })
      await set(store, 'k', 'v')
      await client.set('text', 'as text')
      expect(await client.get('text')).toBe('as text')
      expect(await text(store, 'k')).toBe('v')
      expect(client.listenerCount('error')).toBe(0)
      await client.close()
    })

    test('that its owner closed is UNAVAILABLE and stays closed', async () => {
      const client = createClient({ url: server.url })
      client.on('error', () => {})
      const store = fresh({ client })
      await set(store, 'k', 'v')
      client.destroy()
      expect(await codeOf(read(store, 'k'))).toBe('UNAVAILABLE')
      expect(client.isOpen).toBe(false)
    })

    test('that is connecting again is waited for', async () => {
      const client = createClient({ url: proxy.url, socket: { reconnectStrategy: () => 20 } })
      client.on('error', () => {})
      const store = fresh({ client })
      await set(store, 'k', 'v')
      const again = new Promise<void>((done) => client.once('reconnecting', () => done()))
      proxy.inject({ kind: 'reset' })
      await again
      proxy.pass()
      expect(await text(store, 'k')).toBe('v')
      client.destroy()
    })

    test('whose queue is full is OVERLOADED, and nothing was sent', async () => {
      const client = createClient({ url: server.url, commandsQueueMaxLength: 4 })
      client.on('error', () => {})
      const store = fresh({ client })
      await set(store, 'k', 'v')
      const codes = await Promise.all(Array.from({ length: 6 }, () => codeOf(read(store, 'k'))))
      expect(codes).toEqual([undefined, undefined, undefined, undefined, 'OVERLOADED', 'OVERLOADED'])
      client.destroy()
    })

    test('is refused where its keys are changed, or it is for more than one server', async () => {
      const wrong = [
        createClient({ url: server.url, keyPrefix: 'p:' }),
        createClient({ url: server.url, clientSideCache: { ttl: 0 } }),
        createCluster({ rootNodes: [{ url: server.url }] }),
        createSentinel({ name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] }),
        createClientPool({ url: server.url }),
      ]
      for (const client of wrong)
        expect(() => redis({ client: client as never })).toThrow(
          expect.objectContaining({ code: 'INVALID_CONFIG' }),
        )
    })
  })

  test('a driver is chosen for url alone, and knows no cluster', () => {
    const client = createClient({ url: server.url })
    const wrong = [
      { driver: 'other' },
      { driver: 'node-redis', cluster: [server.url] },
      { driver: 'node-redis', url: 'redis+cluster://127.0.0.1' },
      { driver: 'node-redis', client },
    ]
    for (const options of wrong)
      expect(() => redis(options as object)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  })
})
