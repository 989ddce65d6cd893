import { cache } from '@unikv/cache'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { redis, redisPubSub } from '@unikv/redis'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const tags = (key: string): readonly string[] => [`first:${key[0]}`, 'x'.repeat(512)]

describeWithOwn('redis', () => {
  let server: OwnServer
  beforeAll(async () => {
    server = await ownServer('redis')
  })
  afterAll(() => server?.stop())

  test('an invalidation of tags over Redis is seen by all who have their records there', async () => {
    const source = memory()
    const behind = keyValue(source, [json()])
    const process = () => {
      const layer = cache({ store: redis({ url: server.url, dataset: 'tags' }), tags, timeoutMs: 5_000 })
      return { layer, kv: keyValue(source, [json(), layer]) }
    }
    const [one, two] = [process(), process()]
    for (const round of [1, 2, 3]) {
      for (const key of ['a1', 'a2', 'b1']) await behind.set(key, round)
      await two.layer.invalidateTags(['first:a', 'first:b'])
      expect(await one.kv.getMany(['a1', 'a2', 'b1'])).toEqual([round, round, round])
      for (const key of ['a1', 'a2', 'b1']) await behind.set(key, -round)
      expect(await two.kv.getMany(['a1', 'a2', 'b1'])).toEqual([round, round, round])
      await one.layer.invalidateTags('first:a')
      expect(await two.kv.getMany(['a1', 'a2', 'b1'])).toEqual([-round, -round, round])
    }
    expect(one.layer.stats()).toMatchObject({ storeErrors: 0, loads: 9 })
    expect(two.layer.stats()).toMatchObject({ storeErrors: 0, loads: 6, hits: 12 })
    await Promise.all([one.kv.close(), two.kv.close()])
  })

  test('an invalidation of tags over pub/sub of Redis is seen by all who keep entries in their process', async () => {
    const source = memory()
    const behind = keyValue(source, [json()])
    const process = () => {
      // A process that stands still for longer than maxStaleMs trusts nothing that it keeps.
      const layer = cache({ bus: redisPubSub({ url: server.url, channel: 'tags' }), tags, maxStaleMs: 4_000 })
      return { layer, kv: keyValue(source, [layer, json()]) }
    }
    const [one, two] = [process(), process()]
    const heard = (invalidations: number): Promise<void> =>
      vi.waitFor(() => {
        for (const { layer } of [one, two])
          expect(layer.stats().bus).toMatchObject({ trusted: true, invalidations })
      }, 120_000)
    await heard(0)
    // Whoever is heard for the first time may have said more before, which voids all once.
    for (const { layer } of [one, two]) await layer.invalidateTags('hello')
    await heard(1)
    await behind.set('a1', 1)
    await behind.set('b1', 1)
    await one.kv.getMany(['a1', 'b1'])
    await behind.set('a1', 2)
    await behind.set('b1', 2)
    await two.layer.invalidateTags('first:a')
    await vi.waitFor(() => expect(one.layer.stats().bus?.invalidations).toBe(2), 10_000)
    expect(await one.kv.getMany(['a1', 'b1'])).toEqual([2, 1])
    await Promise.all([one.kv.close(), two.kv.close()])
  })
})
