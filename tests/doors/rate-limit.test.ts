import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { keyValue, supports } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { memcached } from '@unikv/memcached'
import { rateLimitStore } from '@unikv/rate-limit'
import { RateLimiterKeyValue } from '@unikv/rate-limit/flexible'
import { RateLimiterRes } from 'rate-limiter-flexible'
import { describe, expect, test } from 'vitest'
import { onFourStores } from './four-stores.ts'

const require = createRequire(import.meta.url)
// oxlint-disable-next-line no-explicit-any -- no types of their own, or types that need types of express
const [express, { rateLimit }]: any[] = [require('express'), require('express-rate-limit')]

async function hundredAtOnce<T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  let next = 0
  const work = async () => {
    while (next < count) {
      const index = next++
      answers[index] = await run(index)
    }
  }
  await Promise.all(Array.from({ length: 100 }, work))
  return answers
}

onFourStores('rate_limit', (bytes) => {
  const kv = keyValue(bytes)
  if (!supports(kv, 'increment') || !supports(kv, 'ttl')) throw new Error('all four can')
  const limits = kv.namespace('limits')

  describe('a store of express-rate-limit', () => {
    const store = (prefix: string, windowMs = 60_000) => {
      const made = rateLimitStore(limits, { prefix })
      made.init({ windowMs })
      return made
    }

    const count = 400
    test(`${count} hits are counted one by one, each with the same reset time`, async () => {
      const hot = store('hot:', 600_000)
      const keys = ['a', 'b', 'c', 'd']
      const before = Date.now()
      const hits = await hundredAtOnce(count, async (hit) => hot.increment(keys[hit % 4] ?? ''))
      for (const [index] of keys.entries()) {
        const own = hits.filter((_, hit) => hit % 4 === index)
        expect(own.map(({ totalHits }) => totalHits).sort((a, b) => a - b)).toEqual(
          Array.from({ length: count / 4 }, (_, hit) => hit + 1),
        )
        const ends = new Set(own.map(({ resetTime }) => resetTime.getTime()))
        expect(ends.size).toBe(1)
        expect([...ends][0]).toBeGreaterThan(before + 300_000)
      }
    }, 300_000)

    test('takes hits back, but never below none, and forgets a key', async () => {
      const some = store('some:')
      expect(await some.get('a')).toBeUndefined()
      await some.increment('a')
      await some.increment('a')
      await some.decrement('a')
      await some.decrement('other')
      expect(await some.get('a')).toEqual({ totalHits: 1, resetTime: expect.any(Date) })
      // Late responses of one client, whose window has ended: none of them is a hit for free in the next one.
      await Promise.all([1, 2, 3].map(() => some.decrement('other')))
      expect((await some.get('other'))?.totalHits).toBe(0)
      await some.resetKey('a')
      expect(await some.get('a')).toBeUndefined()
      expect((await some.increment('a')).totalHits).toBe(1)
    })

    test('forgets all of its prefix, and nothing else', async () => {
      const [own, neighbor] = [store('l:'), store('l:2:')]
      const other = store('m:')
      await Promise.all([own, neighbor, other].map((each) => each.increment('a')))
      await neighbor.resetAll()
      expect([(await own.get('a'))?.totalHits, await neighbor.get('a')]).toEqual([1, undefined])
      await own.resetAll()
      expect([await own.get('a'), (await other.get('a'))?.totalHits]).toEqual([undefined, 1])
    })

    test('never meets a limit whose prefix begins with its own', async () => {
      const [own, longer] = [store('near:'), store('near:2:')]
      await longer.increment('a')
      expect(await own.get('2:a')).toBeUndefined()
      await own.increment('2:a')
      await own.resetAll()
      expect([await own.get('2:a'), (await longer.get('a'))?.totalHits]).toEqual([undefined, 1])
      // A client without a name is one, too.
      expect((await own.increment('')).totalHits).toBe(1)
    })

    test('begins again after the window', async () => {
      const short = store('short:', 100)
      const { resetTime } = await short.increment('a')
      await expect.poll(async () => short.get('a'), { timeout: 60_000 }).toBeUndefined()
      const next = await short.increment('a')
      expect(next.totalHits).toBe(1)
      expect(next.resetTime.getTime()).toBeGreaterThan(resetTime.getTime())
    })

    test('limits an application, and tells when to come again', async () => {
      const app = express()
      const limit = rateLimit({
        windowMs: 60_000,
        limit: 3,
        store: store('app:'),
        standardHeaders: 'draft-8',
      })
      app.use(limit)
      app.get('/', (_: unknown, response: { end(): void }) => response.end())
      const server = app.listen(0)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const ask = async () => fetch(`http://127.0.0.1:${port}`, { headers: { connection: 'close' } })
      const answers = await Promise.all(Array.from({ length: 5 }, ask))
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 200, 429, 429])
      for (const { headers } of answers) expect(headers.get('ratelimit')).toMatch(/t=(?:60|[345]\d)\b/)
      await new Promise((done) => server.close(done))
    })
  })

  describe('a limiter of rate-limiter-flexible', () => {
    const limiter = (keyPrefix: string, options: object = {}) =>
      new RateLimiterKeyValue({ storeClient: limits, keyPrefix, points: 2, duration: 60, ...options })

    test('of 400 at the same time those with points pass', async () => {
      const hot = limiter('f-hot', { points: 200, duration: 600 })
      const all = await hundredAtOnce(400, async () => (await Promise.allSettled([hot.consume('a')]))[0])
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(200)
      const told = all.map((one) => (one.status === 'fulfilled' ? one.value : one.reason) as RateLimiterRes)
      expect(told.every((one) => one instanceof RateLimiterRes && one.msBeforeNext > 0)).toBe(true)
      expect(Math.max(...told.map(({ consumedPoints }) => consumedPoints))).toBe(400)
      expect(told.filter(({ isFirstInDuration }) => isFirstInDuration)).toHaveLength(1)
    }, 300_000)

    test('consumes, fines, rewards, tells and forgets', async () => {
      const some = limiter('f-some')
      expect(await some.get('a')).toBeNull()
      expect(await some.consume('a')).toMatchObject({
        consumedPoints: 1,
        remainingPoints: 1,
        isFirstInDuration: true,
      })
      expect(await some.penalty('a', 3)).toMatchObject({ consumedPoints: 4, remainingPoints: 0 })
      expect(await some.reward('a', 2)).toMatchObject({ consumedPoints: 2, remainingPoints: 0 })
      await expect(some.consume('a')).rejects.toMatchObject({ consumedPoints: 3, remainingPoints: 0 })
      expect((await some.get('a'))?.consumedPoints).toBe(3)
      expect([await some.delete('a'), await some.delete('a')]).toEqual([true, false])
      expect(await some.get('a')).toBeNull()
    })

    test('never meets a limiter whose prefix begins with its own', async () => {
      const [own, longer] = [limiter('f-near'), limiter('f-near:2')]
      await longer.consume('a')
      expect([await own.get('2:a'), await own.delete('2:a')]).toEqual([null, false])
      expect((await longer.get('a'))?.consumedPoints).toBe(1)
      await own.set('2:a', 2, 60)
      expect((await longer.get('a'))?.consumedPoints).toBe(1)
      expect((await own.consume('').catch((refused) => refused)).consumedPoints).toBe(1)
    })

    test('takes whole points only, and no other record for a counter', async () => {
      const some = limiter('f-odd')
      for (const points of [1.5, Number.NaN, Number.POSITIVE_INFINITY])
        await expect(some.set('a', points, 60)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
      expect(await some.get('a')).toBeNull()
      await limits.namespace('f-odd').set('f-odd:a', Buffer.from('1.5'))
      await expect(some.get('a')).rejects.toMatchObject({ code: 'INVALID_VALUE' })
      const odd = rateLimitStore(limits, { prefix: 'odd' })
      await limits.namespace('odd').set('odda', Buffer.from(''))
      await expect(odd.get('a')).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    })

    test('blocks, sets, and keeps without an end', async () => {
      const some = limiter('f-block', { blockDuration: 600 })
      await some.block('a', 900)
      await expect(some.consume('a')).rejects.toMatchObject({ consumedPoints: 4 })
      await some.set('b', 2, 0)
      expect(await some.get('b')).toMatchObject({ consumedPoints: 2, msBeforeNext: -1 })
      await expect(some.consume('b')).rejects.toMatchObject({ msBeforeNext: 600_000 })
      expect((await some.get('b'))?.msBeforeNext).toBeGreaterThan(300_000)
      const forever = limiter('f-ever', { duration: 0 })
      expect(await forever.consume('a')).toMatchObject({ msBeforeNext: -1 })
    })
  })
})

test('a wrong prefix is told', () => {
  expect(() => rateLimitStore(keyValue(memory()), { prefix: 5 as never })).toThrow('prefix must be')
  expect(rateLimitStore(keyValue(memory()), { prefix: '' }).prefix).toBe('')
})

test('a store that cannot count is told by the compiler, and at run time', async () => {
  const cannot = keyValue(memcached({ url: 'memcached://127.0.0.1:1' }))
  const unsupported = expect.objectContaining({ code: 'UNSUPPORTED' })
  // @ts-expect-error: memcached has no 'increment'
  expect(() => rateLimitStore(cannot)).toThrow(unsupported)
  // @ts-expect-error: as above
  expect(() => new RateLimiterKeyValue({ storeClient: cannot, points: 1, duration: 1 })).toThrow(unsupported)
  const { ttl: _, ...others } = memory().capabilities
  const eternal = keyValue({ ...memory(), capabilities: { ...others, ttl: false } as const })
  // @ts-expect-error: without ttl
  expect(() => rateLimitStore(eternal)).toThrow(unsupported)
  await cannot.close()
})
