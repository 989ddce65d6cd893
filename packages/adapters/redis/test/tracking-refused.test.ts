import type { StoreError } from '@unikv/core'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { redis, redisTracking } from '../src/index.ts'
import { until } from './until.ts'

describeWithOwn('redis', () => {
  const silent = { up: () => {}, down: () => {}, written: () => {}, missed: () => {}, echo: () => {} }

  /** What a server refuses at once. */
  async function refusalOf(url: string): Promise<StoreError | undefined> {
    const refusals: StoreError[] = []
    const bus = redisTracking(redis({ url }), { onRefused: (error) => refusals.push(error) })
    const member = bus.join(silent)
    await until(() => refusals.length > 0, 'it was refused')
    await member.leave()
    return refusals[0]
  }

  test('a server without CLIENT is told, and what to do', async () => {
    await using own = await ownServer('redis', { args: ['--rename-command', 'CLIENT', ''] })
    expect(await refusalOf(own.url)).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('redisPubSub'),
    })
  })

  test('a node of a cluster is told, and what to do', async () => {
    await using own = await ownServer('redis', { args: ['--cluster-enabled', 'yes'] })
    expect(await refusalOf(own.url)).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('mode cluster'),
    })
  })

  test('a refusal is a warning of the process, unless somebody takes it', async () => {
    await using own = await ownServer('redis', { args: ['--rename-command', 'CLIENT', ''] })
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    const member = redisTracking(redis({ url: own.url })).join(silent)
    expect(await warned).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('does not let this user tra'),
    })
    await member.leave()
  })

  test('a server that is full or only reads refuses pings, and takes them later', async () => {
    await using own = await ownServer('redis')
    const client = new Redis(own.url)
    onTestFinished(() => client.disconnect())
    const heard: string[] = []
    const member = redisTracking(redis({ url: own.url })).join({ ...silent, up: () => heard.push('up') })
    onTestFinished(() => member.leave())
    await until(() => heard.length === 1, 'keys are tracked')
    await client.config('SET', 'maxmemory', '1')
    await expect(member.ping(1)).rejects.toMatchObject({ code: 'STORE_FULL' })
    await client.config('SET', 'maxmemory', '0')
    await member.ping(2)
    await client.call('REPLICAOF', '127.0.0.1', '1')
    await expect(member.ping(3)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    await client.call('REPLICAOF', 'NO', 'ONE')
    await until(() => heard.length === 2, 'keys are tracked by new connections')
    await member.ping(4)
    expect(heard).toEqual(['up', 'up'])
  })
})

describe('redisTracking refuses', () => {
  const store = redis({ url: 'redis://127.0.0.1:1' })
  test.each([
    [redis({ url: 'redis+cluster://a:1,b:2' }), {}, 'not of a cluster'],
    [redis({ cluster: ['redis://a:1'] }), {}, 'not of a cluster'],
    [store, { url: 'redis+cluster://a:1,b:2' }, 'not of a cluster'],
    [store, { url: 'http://user:planted-secret@host' }, 'not a Redis URL'],
    [store, { silenceMs: 0 }, 'silenceMs'],
    [store, { connectTimeoutMs: -1 }, 'connectTimeoutMs'],
    [{ ...store }, {}, 'the store that redis() returned'],
  ])('%o with %o', (given, options, message) => {
    expect(() => redisTracking(given as typeof store, options)).toThrow(message)
    expect(() => redisTracking(given as typeof store, options)).not.toThrow('planted-secret')
  })

  test('a store with a client of its own, unless it is told the url', () => {
    const client = new Redis({ lazyConnect: true, autoResendUnfulfilledCommands: false })
    const handed = redis({ client })
    expect(() => redisTracking(handed)).toThrow('pass redisTracking the url')
    expect(redisTracking(handed, { url: 'redis://127.0.0.1:1' })).toMatchObject({ storeTells: true })
    client.disconnect()
  })
})
