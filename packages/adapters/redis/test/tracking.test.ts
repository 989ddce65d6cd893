import { setTimeout as pause } from 'node:timers/promises'
import { json, keyValue, type StoreError } from '@unikv/core'
import { internalKey } from '@unikv/core/adapter'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type RedisTrackingOptions, redisTracking } from '../src/index.ts'
import { admin, describeDrivers, proxy, server } from './faulty-server.ts'
import { fresh, freshDataset } from './fresh.ts'
import { until } from './until.ts'

/** One who notes all that a store's server tells. */
function follow(driver: 'ioredis' | 'node-redis', options: RedisTrackingOptions = {}) {
  const dataset = freshDataset()
  const store = fresh({ driver, url: server.url as `redis://${string}`, dataset })
  const heard: string[] = []
  const refusals: StoreError[] = []
  const bus = redisTracking(store, { url: proxy.url, onRefused: (error) => refusals.push(error), ...options })
  const member = bus.join({
    up: () => heard.push('up'),
    down: () => heard.push('down'),
    written: (writes) => heard.push(...writes.map(({ key }) => key)),
    missed: () => heard.push('missed'),
    echo: (token) => heard.push(`echo ${token}`),
  })
  onTestFinished(() => member.leave())
  let token = 0
  /** All that was heard since the last time, up to an answered ping. */
  const since = async (): Promise<string[]> => {
    await member.ping(++token)
    await until(() => heard.includes(`echo ${token}`), 'the ping came back')
    return heard.splice(0).filter((one) => !one.startsWith('echo'))
  }
  /** A ping came back, whatever became of those before. */
  const answered = () =>
    until(async () => {
      const sent = ++token
      await member.ping(sent).catch(() => {})
      await pause(20)
      return heard.includes(`echo ${sent}`)
    }, 'a ping came back')
  const isUp = () => until(() => heard.includes('up'), 'keys are tracked')
  return {
    dataset,
    store,
    heard,
    refusals,
    member,
    since,
    answered,
    isUp,
    at: (key: string) => `${dataset}:${key}`,
  }
}

/** The connections of trackers, as the server lists them. */
async function trackers(): Promise<string[]> {
  const list = (await admin.client('LIST')) as string
  return list.split('\n').filter((line) => / flags=\w*t/.test(line))
}

describeDrivers(({ driver }) => {
  describe('redisTracking', () => {
    test('tells of what other programs do to keys of the dataset, and of nothing else', async () => {
      const { since, isUp, at, dataset } = follow(driver)
      await isUp()
      await since()
      await admin.set(at('a'), '1')
      expect(await since()).toEqual(['a'])
      await admin.append(at('a'), '1')
      await admin.rename(at('a'), at('b'))
      expect(new Set(await since())).toEqual(new Set(['a', 'b']))
      await admin.del(at('b'))
      expect(await since()).toEqual(['b'])
      await admin.mset(`${dataset}x:a`, '1', `x${dataset}:a`, '1', dataset, '1', at(''), '1')
      await admin.set(Buffer.concat([Buffer.from(at('')), Buffer.from([0xff])]), '1')
      expect(await since()).toEqual([])
    })

    test('gives keys back as layers have them, in namespaces too', async () => {
      const { since, isUp, store } = follow(driver)
      const kv = keyValue(store, [json()])
      await isUp()
      await since()
      for (const key of ['{a}b', 'a:b', '*', 'ü😀', 'a\nb', '\u0002', 'x'.repeat(10_000)]) {
        await kv.set(key, 1)
        const [told] = await since()
        expect(told?.endsWith(key)).toBe(true)
        await kv.namespace('n\u0001').set(key, 1)
        const [inside] = await since()
        expect(inside).not.toBe(told)
        expect(inside?.endsWith(key)).toBe(true)
      }
    })

    test('tells of the record beside which a layer keeps another', async () => {
      const { since, isUp, at } = follow(driver)
      await isUp()
      await since()
      await admin.set(at(internalKey('chunk', 'a', '1')), '1')
      await admin.set(at(internalKey('marker', '', 'x')), '1')
      await admin.set(at('\u0000'), '1')
      expect(await since()).toEqual(['a'])
    })

    test('tells of expiry and of eviction', async () => {
      const { since, isUp, at, heard } = follow(driver)
      await isUp()
      await admin.set(at('a'), '1', 'PX', 60)
      await since()
      await until(() => heard.includes('a'), 'it expired')
      await admin.set(at('b'), 'x'.repeat(200_000))
      await since()
      const { used_memory } = Object.fromEntries(
        (await admin.info('memory')).split('\r\n').map((line) => line.split(':')),
      ) as { used_memory: string }
      await admin.config('SET', 'maxmemory-policy', 'allkeys-random')
      await admin.config('SET', 'maxmemory', `${Number(used_memory) - 150_000}`)
      try {
        await until(() => heard.includes('b'), 'it was evicted')
      } finally {
        await admin.config('SET', 'maxmemory', '0')
        await admin.config('SET', 'maxmemory-policy', 'noeviction')
      }
      expect(heard).toContain('b')
    })

    test.each(['flushall', 'flushdb'] as const)('%s voids all', async (flush) => {
      const { since, isUp, at } = follow(driver)
      await isUp()
      await since()
      await admin.set(at('a'), '1')
      await admin[flush]()
      expect((await since()).toSorted()).toEqual(['a', 'missed'])
    })

    test('a foreign message on its channel voids all', async () => {
      const { since, isUp } = follow(driver)
      await isUp()
      await since()
      await admin.publish('__redis__:invalidate', 'hello')
      expect(await since()).toEqual(['missed'])
    })

    test('a ping leaves no key, and no scan shows one', async () => {
      const { since, isUp, store, at } = follow(driver)
      await isUp()
      const listing = keyValue(store, [json()]) as unknown as { count(): Promise<number> }
      for (let i = 0; i < 20; i++) {
        const [, counted] = await Promise.all([since(), listing.count()])
        expect(counted).toBe(0)
      }
      expect(await admin.keys(`${at('')}*`)).toEqual([])
    })

    test('a ping that is told with writes comes back after them', async () => {
      const { isUp, since, at, heard, member } = follow(driver)
      await isUp()
      await since()
      // Somebody else does with a key of a ping what nobody does, so that all is told in one message.
      const monitor = await admin.monitor()
      onTestFinished(() => monitor.disconnect())
      const seen = new Promise<string>((resolve) => {
        monitor.on(
          'monitor',
          (_time, [command, key]: string[]) => command === 'set' && resolve(key as string),
        )
      })
      await member.ping(77)
      const written = (await seen).replaceAll('\\x00', '\u0000')
      await until(() => heard.includes('echo 77'), 'the ping came back')
      heard.length = 0
      await admin.multi().set(at('~'), '1').set(written, '1').set(at('!'), '1').del(written).exec()
      await until(() => heard.length === 3, 'all was told')
      expect(heard).toEqual(['!', '~', 'echo 77'])
    })

    test('a ping comes back after all writes that were acknowledged before it was sent', async () => {
      const { isUp, at, heard, member } = follow(driver)
      await isUp()
      // What is told is on its way for longer than answers are.
      proxy.inject({ kind: 'drip', side: 'response', bytesPerSecond: 60_000 })
      const writers = Array.from({ length: 4 }, () => new Redis(server.url))
      onTestFinished(() => writers.forEach((writer) => writer.disconnect()))
      /** Bursts that the server takes in one cycle or in several, by pipelines, scripts and transactions. */
      const burst = async (writer: Redis, name: string, size: number): Promise<string[]> => {
        const keys = Array.from({ length: size }, (_, i) => `~${name}.${i}`)
        const pipeline = size % 2 === 0 ? writer.pipeline() : writer.multi()
        for (const key of keys) pipeline.set(at(key), '1')
        if (size % 5 === 0) pipeline.eval('for i = 1, 20000 do end return 1', 0)
        await pipeline.exec()
        return keys
      }
      const bursts = async (round: number, name: string): Promise<string[]> =>
        (
          await Promise.all(
            writers.map((writer, n) => burst(writer, `${name}${round}.${n}`, 1 + ((7 * round + n) % 9))),
          )
        ).flat()
      let compared = 0
      for (let round = 1; round <= 60; round++) {
        const before = await bursts(round, 'before')
        const meanwhile = bursts(round, 'meanwhile')
        await member.ping(round)
        await until(() => heard.includes(`echo ${round}`), 'the ping came back')
        const told = new Set(heard.slice(0, heard.indexOf(`echo ${round}`)))
        expect(before.filter((key) => !told.has(key))).toEqual([])
        compared += before.length
        await meanwhile
        heard.splice(0, heard.indexOf(`echo ${round}`) + 1)
      }
      expect(compared).toBeGreaterThan(1_000)
    })

    test.each(['listening', 'commands'])(
      'CLIENT KILL of the %s connection is down, then up again',
      async (which) => {
        const { isUp, heard, since, at } = follow(driver)
        await isUp()
        await since()
        const before = await trackers()
        expect(before).toHaveLength(1)
        if (which === 'listening')
          await admin.client('KILL', 'ID', /id=(\d+)/.exec(before[0] ?? '')?.[1] ?? '')
        else {
          const list = ((await admin.client('LIST')) as string).split('\n')
          const id = list
            .map((line) => /^id=(\d+) .*cmd=exec/.exec(line)?.[1])
            .find((one) => one !== undefined)
          await admin.client('KILL', 'ID', id ?? '')
        }
        await until(() => heard.includes('up'), 'it came up again')
        expect(heard).toEqual(['down', 'up'])
        await admin.set(at('a'), '1')
        expect(await since()).toEqual(['down', 'up', 'a'])
        expect(await trackers()).toHaveLength(1)
      },
    )

    test('a server that is not there at first is found later', async () => {
      proxy.inject({ kind: 'reset' })
      const { isUp, heard, member, refusals, since } = follow(driver)
      await expect(member.ping(7)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      await pause(150)
      expect(heard).toEqual([])
      proxy.pass()
      await isUp()
      expect(await since()).toEqual(['up'])
      expect(refusals).toEqual([])
    })

    test.each([0, 5, 50, 150, 250, 400])(
      'connections that are cut after %i bytes of answers are opened anew',
      async (afterBytes) => {
        proxy.inject({ kind: 'cut', side: 'response', afterBytes, times: 2 })
        const { answered, since, at } = follow(driver, { connectTimeoutMs: 500 })
        await answered()
        proxy.pass()
        await admin.set(at('a'), '1')
        expect((await since()).filter((one) => one === 'a')).toEqual(['a'])
      },
    )

    test.each([0, 4, 16])('a network that dies %i ms after the start is given up in time', async (ms) => {
      const { answered, since, at } = follow(driver, { connectTimeoutMs: 150, silenceMs: 150 })
      await pause(ms)
      proxy.inject({ kind: 'blackHole' })
      await pause(250)
      proxy.pass()
      await answered()
      await admin.set(at('a'), '1')
      expect((await since()).filter((one) => one === 'a')).toEqual(['a'])
    })

    test('a silence of longer than silenceMs opens new connections', async () => {
      const { isUp, heard, member, since } = follow(driver, { connectTimeoutMs: 300, silenceMs: 100 })
      await isUp()
      await since()
      proxy.inject({ kind: 'blackHole' })
      member.ping(1_000).catch(() => {})
      await pause(150)
      await member.ping(1_001)
      await until(() => heard.includes('down'), 'it was given up')
      proxy.pass()
      await isUp()
      expect(heard).toEqual(['down', 'up'])
    })

    test('leave closes everything, at any time', async () => {
      await until(() => proxy.connections === 0, 'no connection of other tests is left')
      for (const ms of [0, 1, 2, 3, 5, 8, 13, 21, 34]) {
        const { member, heard } = follow(driver)
        await pause(ms)
        await member.leave()
        await member.leave()
        expect(heard.filter((one) => one === 'up').length).toBe(heard.filter((one) => one === 'down').length)
        await until(() => proxy.connections === 0, `all are closed after ${ms} ms`)
        await expect(member.ping(1)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      }
    })

    test.each([
      ['client|tracking', ['-client|tracking']],
      ['subscribe', ['-subscribe']],
      ['a channel', ['resetchannels']],
      ['set', ['-set']],
    ])('a user without the permission for %s is told once what to permit', async (_, rules) => {
      await admin.acl('SETUSER', 'poor', 'reset', 'on', '>planted-secret', '~*', '&*', '+@all', ...rules)
      const url = server.url.replace('redis://', 'redis://poor:planted-secret@')
      const { heard, refusals, isUp } = follow(driver, { url })
      await until(() => refusals.length > 0, 'it was refused')
      await pause(500)
      expect(refusals).toHaveLength(1)
      expect(refusals[0]).toMatchObject({ code: 'ACCESS_DENIED' })
      expect(refusals[0]?.message).not.toContain('planted-secret')
      expect(refusals[0]?.message).toContain('Permit +client|tracking')
      expect(heard).toEqual([])
      await admin.acl('SETUSER', 'poor', '&*', '+@all')
      await isUp()
      expect(heard).toEqual(['up'])
    })

    test('a permission that is taken away later ends the trust', async () => {
      await admin.acl('SETUSER', 'rich', 'reset', 'on', '>planted-secret', '~*', '&*', '+@all')
      const url = server.url.replace('redis://', 'redis://rich:planted-secret@')
      const { member, refusals, isUp, since } = follow(driver, { url })
      await isUp()
      await since()
      await admin.acl('SETUSER', 'rich', '-set')
      await expect(member.ping(99)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
      expect(refusals).toHaveLength(1)
    })
  })
})
