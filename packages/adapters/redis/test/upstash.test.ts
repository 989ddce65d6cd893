import { conformance, topicsOfRequests, topicsOfServers } from '@unikv/conformance'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, isWhole } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, test } from 'vitest'
import { redis } from '../src/index.ts'
import { type UpstashOptions, upstash } from '../src/upstash/upstash.ts'
import { freshDataset } from './fresh.ts'
import { restServer, token } from './rest-server.ts'

describeWithOwn('redis', async () => {
  const server = await ownServer('redis')
  const rest = await restServer(server.url)
  const admin = new Redis(server.url)
  afterAll(async () => {
    admin.disconnect()
    await rest.close()
    await server.stop()
  })
  const open = (options: Partial<UpstashOptions> = {}) =>
    upstash({ url: rest.url, token, dataset: freshDataset(), ...options })

  describe('conformance', async () => {
    const datasets = new WeakMap<Store<Bytes>, string>()
    const opened = (dataset = freshDataset()): Store<Bytes> => {
      const store = open({ dataset })
      datasets.set(store, dataset)
      return store
    }
    await conformance({
      test,
      describe,
      // As for every store that is asked by HTTP.
      topics: isWhole ? topicsOfServers : topicsOfRequests,
      open: () => opened(),
      reopen: (store) => opened(datasets.get(store)),
      corrupt: (store, key) => admin.setrange(`${datasets.get(store)}:${key}`, 0, 'x'),
    })
  })

  test('both adapters read the records of each other, with versions and expiries', async () => {
    const dataset = freshDataset()
    const near = keyValue(redis({ url: server.url as `redis://${string}`, dataset }))
    const far = keyValue(open({ dataset }))
    const value = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
    for (const [writer, reader] of [
      [near, far],
      [far, near],
    ] as const) {
      const { version } = await writer.set('k', value, { ttlMs: 60_000 })
      expect(await reader.getEntry('k')).toEqual(await writer.getEntry('k'))
      expect((await reader.getEntry('k'))?.value).toEqual(value)
      await writer.setMany([
        ['ä €', value],
        ['b', Buffer.from('ä € 😀')],
      ])
      expect(await reader.getMany(['ä €', 'b'])).toEqual([value, Buffer.from('ä € 😀')])
      await reader.set('k', value.subarray(100), { ifVersion: version as string })
      await expect(writer.set('k', value, { ifVersion: version as string })).rejects.toMatchObject({
        code: 'CONDITION_FAILED',
      })
      expect(await writer.increment('n', 2)).toBeLessThan(await reader.increment('n', 2))
    }
    expect(await admin.pttl(`${dataset}:k`)).toBe(-1)
    await Promise.all([near.close(), far.close()])
  })

  test('scripts travel by their names once the server has them, and again after it forgot them', async () => {
    const kv = keyValue(open())
    rest.passed.length = 0
    for (let i = 0; i < 3; i++) await kv.increment('n')
    expect(rest.passed).toEqual(['EVAL', 'EVALSHA', 'EVALSHA'])
    await admin.script('FLUSH')
    expect(await kv.increment('n')).toBe(4)
    await kv.close()
  })

  test('a wrong token is ACCESS_DENIED, and no error shows it', async () => {
    const kv = keyValue(open({ token: 'another-token' }))
    const error = await kv.get('k').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'ACCESS_DENIED' })
    expect(JSON.stringify([error, String(error)])).not.toContain('another-token')
    await kv.close()
  })
})
