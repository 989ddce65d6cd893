import { setTimeout as pause } from 'node:timers/promises'
import { cache, createCache, type ObjectCacheOptions } from '@unikv/cache'
import { json, keyValue, text } from '@unikv/core'
import { redis, redisTracking } from '@unikv/redis'
import { type FaultProxy, faultProxy, type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

const maxStaleMs = 400
let datasets = 0
let server: OwnServer
let proxy: FaultProxy
/** Another program, which knows nothing of caches. */
let stranger: Redis

/** A process with a cache over foreign strings, which hears of the server through the proxy. */
async function cached(
  options: Partial<ObjectCacheOptions> = {},
  driver: 'ioredis' | 'node-redis' = 'ioredis',
) {
  const dataset = `tracked_${++datasets}`
  const store = redis({ url: server.url, dataset, values: 'raw', driver })
  const bus = redisTracking(store, { url: proxy.url, connectTimeoutMs: 1_000, silenceMs: 500 })
  const layer = cache({ bus, maxStaleMs, ...options })
  const kv = keyValue(store, [layer, text()])
  onTestFinished(() => kv.close())
  const stats = () => layer.stats().bus as NonNullable<ReturnType<typeof layer.stats>['bus']>
  const trusted = (is = true) => until(() => stats().trusted === is, `the bus is ${is ? '' : 'not '}trusted`)
  await trusted()
  const at = (key: string) => `${dataset}:${key}`
  return { kv, layer, stats, trusted, at }
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const giveUpAt = performance.now() + 60_000
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`never: ${what}`)
    await pause(2)
  }
}

/** How long after a write was acknowledged a reader who was answered otherwise asked, at most; until it is seen. */
async function hiddenMs<T>(find: () => Promise<T>, written: T): Promise<number> {
  const writtenAt = performance.now()
  let hidden = 0
  for (let askedAt = writtenAt; (await find()) !== written; askedAt = performance.now()) {
    hidden = askedAt - writtenAt
    expect(hidden).toBeLessThanOrEqual(maxStaleMs)
    await pause(0)
  }
  return hidden
}

describeWithOwn('redis', () => {
  beforeAll(async () => {
    server = await ownServer('redis')
    proxy = await faultProxy(server.url)
    stranger = new Redis(server.url)
  })
  beforeEach(() => proxy.pass())
  afterAll(async () => {
    stranger.disconnect()
    await proxy.close()
    await server.stop()
  })

  describe.each(['ioredis', 'node-redis'] as const)('a cache with the tracking of %s', (driver) => {
    test('hears of tags that another process invalidates, as of everything', async () => {
      const tags = (key: string) => [`first:${key[0]}`]
      const { kv, layer, stats, at } = await cached({ tags }, driver)
      const store = redis({ url: server.url, dataset: at('').slice(0, -1), values: 'raw', driver })
      const other = cache({ bus: redisTracking(store), maxStaleMs, tags })
      const beside = keyValue(store, [other, text()])
      onTestFinished(() => beside.close())
      await until(() => other.stats().bus?.trusted === true, 'the other one is trusted')
      await stranger.set(at('a'), 'one')
      expect(await kv.get('a')).toBe('one')
      const { voids } = stats()
      const { loads } = layer.stats()
      await other.invalidateTags('first:a')
      await until(() => stats().voids > voids, 'it was told')
      expect(await kv.get('a')).toBe('one')
      expect(layer.stats().loads).toBeGreaterThan(loads)
    })

    test('sees what another program writes within maxStaleMs, and hits ask nobody', async () => {
      const { kv, layer, stats, at } = await cached({}, driver)
      let worstMs = 0
      for (let n = 1; n <= 30; n++) {
        await stranger.set(at('a'), `${n}`)
        worstMs = Math.max(worstMs, await hiddenMs(() => kv.get('a'), `${n}`))
        // A busy machine may bring news of the write, or a ping, later.
        await until(async () => {
          const { loads } = layer.stats()
          expect(await kv.get('a')).toBe(`${n}`)
          return layer.stats().loads === loads
        }, 'a hit asks nobody')
      }
      console.log(`${driver}: of 30 foreign writes none was hidden for longer than ${worstMs.toFixed(1)} ms`)
      expect(worstMs).toBeLessThanOrEqual(maxStaleMs)
      expect(stats().invalidations).toBeGreaterThanOrEqual(30)
      expect(stats().untold).toBe(0)
    })

    test('does not answer after maxStaleMs while its connections are dead', async () => {
      const { kv, stats, trusted, at } = await cached({}, driver)
      await stranger.set(at('a'), 'old')
      await kv.get('a')
      await kv.get('a')
      proxy.inject({ kind: 'blackHole' })
      await stranger.set(at('a'), 'new')
      const hidden = await hiddenMs(() => kv.get('a'), 'new')
      // It was answered without asking as long as it may be.
      expect(hidden).toBeGreaterThan(0)
      expect(hidden).toBeLessThanOrEqual(maxStaleMs)
      expect(stats().worstStaleMs).toBeLessThanOrEqual(maxStaleMs)
      proxy.pass()
      await trusted()
      expect(await kv.get('a')).toBe('new')
      await stranger.set(at('a'), 'newer')
      expect(await hiddenMs(() => kv.get('a'), 'newer')).toBeLessThanOrEqual(maxStaleMs)
    })

    test('hides no write when its connections are killed again and again', async () => {
      const { kv, stats, trusted, at } = await cached({}, driver)
      let worstMs = 0
      let isOver = false
      const killing = (async () => {
        for (let i = 0; i < 6 || stats().voids <= 3; i++) {
          await pause(60 + 35 * (i % 4))
          await (i % 2 === 0
            ? stranger.call('CLIENT', ['KILL', 'TYPE', 'pubsub'])
            : proxy.inject({ kind: 'reset' }))
          proxy.pass()
        }
        isOver = true
      })()
      for (let n = 1; !isOver; n++) {
        await stranger.set(at('a'), `${n}`)
        worstMs = Math.max(worstMs, await hiddenMs(() => kv.get('a'), `${n}`))
      }
      await killing
      console.log(
        `${driver}: ${stats().voids} connections lost, no write was hidden for longer than ${worstMs.toFixed(1)} ms`,
      )
      expect(worstMs).toBeLessThanOrEqual(maxStaleMs)
      expect(stats().voids).toBeGreaterThan(3)
      await trusted()
    })
  })

  describe('a cache with tracking', () => {
    test.each([
      ['DEL', (key: string) => stranger.del(key)],
      ['UNLINK', (key: string) => stranger.unlink(key)],
      ['RENAME', (key: string) => stranger.rename(key, `${key}x`)],
      ['FLUSHALL', () => stranger.flushall()],
      ['expiry', (key: string) => stranger.pexpire(key, 20)],
      ['a script', (key: string) => stranger.eval("redis.call('DEL', KEYS[1])", 1, key)],
    ])('sees that a key is gone by %s', async (by, remove) => {
      const { kv, stats, at } = await cached()
      await stranger.set(at('a'), '1')
      expect(await kv.get('a')).toBe('1')
      expect(await kv.get('a')).toBe('1')
      const before = stats()
      await remove(at('a'))
      if (by === 'expiry') await until(async () => (await stranger.exists(at('a'))) === 0, 'it expired')
      expect(await hiddenMs(() => kv.get('a'), undefined)).toBeLessThanOrEqual(maxStaleMs)
      expect(stats().invalidations + stats().voids).toBeGreaterThan(before.invalidations + before.voids)
    })

    test('keeps nothing of a load that a stranger overtook', async () => {
      const { kv, at } = await cached()
      for (let n = 1; n <= 90; n++) {
        const reading = Promise.all([kv.get('a'), kv.get('b'), kv.get('a')])
        await stranger.set(at('a'), `${n}`)
        await reading
        expect(await hiddenMs(() => kv.get('a'), `${n}`)).toBeLessThanOrEqual(maxStaleMs)
      }
    })

    test.each(['around', 'through'] as const)(
      'never tells its own process what was before its write (%s)',
      async (onWrite) => {
        const { kv, layer, stats } = await cached({ onWrite })
        for (let n = 1; n <= 90; n++) {
          await kv.set('a', `${n}`)
          expect(await kv.get('a')).toBe(`${n}`)
          if (n % 3 === 0) await pause(1)
          expect(await kv.get('a')).toBe(`${n}`)
        }
        const { loads, hits } = layer.stats()
        console.log(`${onWrite}: 90 own writes, 180 reads: ${loads} loads, ${hits} hits`)
        expect(stats().invalidations).toBeGreaterThanOrEqual(90)
        expect(stats().untold).toBe(0)
      },
    )

    test('counts no write as untold while keys are not tracked: the server tells', async () => {
      const { kv, stats, trusted } = await cached()
      proxy.inject({ kind: 'reset' })
      await trusted(false)
      await kv.set('a', '1')
      expect(await kv.get('a')).toBe('1')
      expect(stats().untold).toBe(0)
      proxy.pass()
      await trusted()
    })

    test('gives two namespaces and two processes their own', async () => {
      const dataset = `tracked_${++datasets}`
      const open = () => {
        const store = redis({ url: server.url, dataset })
        const layer = cache({ bus: redisTracking(store), maxStaleMs })
        const kv = keyValue(store, [layer, json()])
        onTestFinished(() => kv.close())
        return { kv, layer }
      }
      const [one, two] = [open(), open()]
      await until(
        () => [one, two].every(({ layer }) => layer.stats().bus?.trusted === true),
        'both are trusted',
      )
      for (const name of ['a', 'b', 'a\u0001b']) {
        await one.kv.namespace(name).set('k', name)
        expect(await two.kv.namespace(name).get('k')).toBe(name)
        expect(await two.kv.namespace(name).get('k')).toBe(name)
        await one.kv.namespace(name).set('k', 'other')
        expect(await hiddenMs(() => two.kv.namespace(name).get('k'), 'other')).toBeLessThanOrEqual(maxStaleMs)
      }
    })

    test('serves the cache that an application drives itself', async () => {
      const store = redis({ url: server.url, dataset: `tracked_${++datasets}`, values: 'raw' })
      const users = createCache<string>({ bus: redisTracking(store), maxStaleMs })
      onTestFinished(() => users.close())
      const key = `tracked_${datasets}:a`
      const find = () => users.cached('a', async () => (await stranger.get(key)) ?? undefined)
      await stranger.set(key, 'old')
      await until(async () => {
        const { loads } = users.stats()
        return (await find()) === 'old' && users.stats().loads === loads
      }, 'it is answered without asking')
      await stranger.set(key, 'new')
      expect(await hiddenMs(find, 'new')).toBeLessThanOrEqual(maxStaleMs)
      await store.close()
    })

    test('leaves no connection when it is closed', async () => {
      await until(() => proxy.connections === 0, 'others are closed')
      const { kv } = await cached()
      expect(proxy.connections).toBe(2)
      await kv.close()
      await until(() => proxy.connections === 0, 'all are closed')
      expect(proxy.connections).toBe(0)
    })
  })
})

test('a server that is not there is no error, and no trust', async () => {
  const store = redis({ url: 'redis://127.0.0.1:1' })
  const layer = cache({ bus: redisTracking(store) })
  const { memory } = await import('@unikv/core/memory')
  const kv = keyValue(memory(), [layer, json()])
  await kv.set('a', 1)
  expect(await kv.get('a')).toBe(1)
  expect(await kv.get('a')).toBe(1)
  expect(layer.stats()).toMatchObject({ revalidations: 1, bus: { trusted: false, untold: 0 } })
  await kv.close()
})
