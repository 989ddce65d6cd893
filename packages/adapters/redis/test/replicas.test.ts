import { isStoreError, keyValue } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { redis } from '../src/index.ts'
import { bytes, fresh, freshDataset, text, writeAll } from './fresh.ts'

describeWithOwn('redis', () => {
  let primary: OwnServer
  let replica: OwnServer
  /** Looks at the replica. */
  let other: Redis

  beforeAll(async () => {
    primary = await ownServer('redis')
    replica = await ownServer('redis', { args: ['--replicaof', '127.0.0.1', new URL(primary.url).port] })
    other = new Redis(replica.url)
    await vi.waitFor(
      async () => expect(await other.info('replication')).toContain('master_link_status:up'),
      20_000,
    )
  })
  afterAll(async () => {
    other.disconnect()
    await replica.stop()
    await primary.stop()
  })

  describe.each(['ioredis', 'node-redis'] as const)('by %s', (driver) => {
    const replicated = (wait: number, timeoutMs?: number) =>
      fresh({ url: primary.url as `redis://${string}`, driver, replicas: { wait, timeoutMs } })
    const level = () => ({ deadlineAt: performance.now() + 30_000, consistency: 'replicated' })

    test('a replicated write is on the replica when it is acknowledged', async () => {
      const dataset = freshDataset()
      const kv = keyValue(
        redis({ url: primary.url as 'redis://h', driver, dataset, replicas: { wait: 1, timeoutMs: 10_000 } }),
      )
      for (let n = 0; n < 50; n++) {
        await kv.set(`k${n}`, bytes(`v${n}`), { consistency: 'replicated' })
        expect((await other.getBuffer(`${dataset}:k${n}`))?.toString()).toMatch(new RegExp(`v${n}$`))
      }
      const { version } = await kv.set('c', bytes('1'), { consistency: 'replicated', ifVersion: null })
      await kv.delete('c', { consistency: 'replicated', ifVersion: version })
      expect(await other.exists(`${dataset}:c`)).toBe(0)
      expect(await kv.get('k7', { consistency: 'replicated' })).toEqual(Buffer.from('v7'))
      await kv.close()
    })

    test('with too few replicas it is OUTCOME_UNKNOWN and stands on the primary, with its version', async () => {
      const store = replicated(2, 50)
      const startedAt = performance.now()
      const error = await keyValue(store)
        .set('k', bytes('v'), { consistency: 'replicated' })
        .catch((caught: unknown) => caught)
      expect(performance.now() - startedAt).toBeGreaterThan(40)
      expect(error).toMatchObject({
        code: 'OUTCOME_UNKNOWN',
        retryable: false,
        message: expect.stringContaining('only 1 replicas'),
      })
      const [found] = await store.read([{ key: 'k' }], callOptions())
      expect(found).toMatchObject({ version: (error as { readonly version: string }).version })
    })

    test('what did not happen is told as without replicas, in a batch item by item', async () => {
      const store = replicated(2, 50)
      await writeAll(store, [{ type: 'set', key: 'there', value: bytes('v') }])
      const mutations = [
        { type: 'set', key: 'a', value: bytes('a'), version: 'a'.repeat(24) },
        { type: 'set', key: 'there', value: bytes('b'), ifVersion: null, version: 'b'.repeat(24) },
      ] as const
      const results = await store.write(mutations, level())
      expect(results).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }, { conditionFailed: true }])
      const [alone] = await store.write(mutations.slice(1), level())
      expect(alone).toMatchObject({ conditionFailed: true })
    })

    test('writes without the level do not wait, and the deadline of a call holds', async () => {
      const store = replicated(2, 60_000)
      const kv = keyValue(store)
      await kv.set('k', bytes('v'))
      const startedAt = performance.now()
      await expect(
        kv.set('k', bytes('w'), { consistency: 'replicated', timeoutMs: 200 }),
      ).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
      expect(performance.now() - startedAt).toBeLessThan(30_000)
      expect(await text(store, 'k')).toBe('w')
    })

    test('a replica that is frozen does not acknowledge', async () => {
      const store = replicated(1, 100)
      replica.pause()
      try {
        const set = { type: 'set', key: 'k', value: bytes('v'), version: 'c'.repeat(24) } as const
        let [result] = await store.write([set], level())
        // It freezes a moment after it was told to.
        while (!isStoreError(result)) [result] = await store.write([set], level())
        expect(result).toMatchObject({ code: 'OUTCOME_UNKNOWN', version: 'c'.repeat(24) })
      } finally {
        replica.resume()
      }
    })
  })

  test('the level is offered with the option alone, which must make sense', async () => {
    expect(redis().capabilities.consistency).toEqual(['strong'])
    expect(redis({ replicas: { wait: 1 } }).capabilities.consistency).toEqual(['strong', 'replicated'])
    for (const replicas of [{ wait: 0 }, { wait: 1.5 }, { wait: 1, timeoutMs: 0 }])
      expect(() => redis({ replicas })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
    const kv = keyValue(fresh({ url: primary.url as `redis://${string}` }))
    await expect(kv.set('k', bytes('v'), { consistency: 'replicated' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    })
  })
})
