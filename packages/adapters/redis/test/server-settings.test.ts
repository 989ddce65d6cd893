import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { bytes, errorOf, fresh, freshDataset, write } from './fresh.ts'

const draft = { type: 'set', key: 'k', value: bytes('v') } as const
const call = () => ({ deadlineAt: performance.now() + 10_000 })

describeWithOwn('redis', async () => {
  const server = await ownServer('redis', { args: ['--maxmemory', '64mb'] })
  const url = server.url as `redis://${string}`
  const admin = new Redis(url)
  const policy = (name: string) => admin.config('SET', 'maxmemory-policy', name)
  afterEach(() => policy('noeviction'))
  afterAll(async () => {
    admin.disconnect()
    await server.stop()
  })

  const drops = (name: string) => ({
    code: 'INVALID_CONFIG',
    retryable: false,
    message: expect.stringMatching(new RegExp(`drops .*maxmemory-policy ${name}.* evicts: true`)),
  })

  describe.each(['ioredis', 'node-redis'] as const)('a server that drops records, by %s', (driver) => {
    test.each(['allkeys-lru', 'volatile-lru'])('is refused unless that is declared: %s', async (name) => {
      await policy(name)
      const believed = fresh({ url, driver })
      const begun = async () => (await believed.groups?.begin('g', call()))?.get(['k'])
      expect(await errorOf(() => write(believed, draft))).toMatchObject(drops(name))
      expect(await errorOf(begun)).toMatchObject(drops(name))
      expect(await write(fresh({ url, driver, evicts: true }), draft)).toHaveProperty('version')
      await policy('noeviction')
      expect(await write(believed, draft)).toHaveProperty('version')
    })
  })

  test('a client that was handed in, and a connection that is opened anew, are asked, too', async () => {
    const client = new Redis(url, { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 })
    await client.ping()
    const [given, own] = [fresh({ client }), fresh({ url })]
    expect(await write(own, draft)).toHaveProperty('version')
    await policy('allkeys-random')
    expect(await errorOf(() => write(given, draft))).toMatchObject(drops('allkeys-random'))
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await errorOf(() => write(own, draft))
    expect(await errorOf(() => write(own, draft))).toMatchObject(drops('allkeys-random'))
    client.disconnect()
  })

  test('a user who may not ask is believed, and so is a server without a limit', async () => {
    await policy('allkeys-lru')
    const dataset = freshDataset()
    await admin.acl('SETUSER', dataset, 'reset', 'on', '>pw', `~${dataset}:*`, '+get', '+set')
    const store = fresh({ url: url.replace('redis://', `redis://${dataset}:pw@`) as typeof url, dataset })
    expect(await write(store, draft)).toHaveProperty('version')
    await admin.config('SET', 'maxmemory', '0')
    expect(await write(fresh({ url }), draft)).toHaveProperty('version')
    await admin.config('SET', 'maxmemory', '64mb')
  })

  test('a durability that the settings do not give is refused', async () => {
    const told = async (durability: 'buffered' | 'flushed') =>
      errorOf(() => write(fresh({ url, durability }), draft))
    const only = (given: string) => ({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(`only '${given}'`),
    })
    expect(await told('buffered')).toMatchObject(only('memory'))
    await admin.config('SET', 'appendonly', 'yes')
    expect(await write(fresh({ url, durability: 'buffered' }), draft)).toHaveProperty('version')
    expect(await told('flushed')).toMatchObject(only('buffered'))
    await admin.config('SET', 'appendfsync', 'always')
    expect(await write(fresh({ url, durability: 'flushed' }), draft)).toHaveProperty('version')
    await admin.config('SET', 'appendonly', 'no')
  })
})
