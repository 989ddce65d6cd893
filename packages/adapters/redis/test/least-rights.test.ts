import { type KeyValue, keyValue } from '@unikv/core'
import { adapterOf, callOptions } from '@unikv/core/adapter'
import { ownServer, refusals } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, test } from 'vitest'
import { type RedisCapabilities, redis } from '../src/index.ts'
import { bytes, errorOf, freshDataset, track } from './fresh.ts'

type Kv = KeyValue<string, Uint8Array, RedisCapabilities<'bytes', 'memory', false>>

const value = bytes('v')
const pairs = ['x', 'y'].map((key) => [key, value] as const)
const version = async (kv: Kv): Promise<string> => (await kv.getEntry('x'))?.version ?? ''
const hour = { ttlMs: 3_600_000 }

async function listed(listing: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of listing);
}

/** Operations on the keys x, y and n, a number, and the commands that the README names for them. */
const operations: Readonly<Record<string, readonly [needs: string, run: (kv: Kv) => Promise<unknown>]>> = {
  get: ['get', (kv) => kv.get('x')],
  'get of nothing': ['get', (kv) => kv.get('nothing')],
  getMany: ['mget', (kv) => kv.getMany(['x', 'y'])],
  has: ['evalsha getrange', (kv) => kv.has('x')],
  'has nothing': ['evalsha getrange exists', (kv) => kv.has('nothing')],
  revalidate: ['evalsha getrange', async (kv) => kv.revalidate('x', await version(kv))],
  'revalidate a changed record': ['evalsha getrange get', (kv) => kv.revalidate('x', '0'.repeat(24))],
  set: ['set', (kv) => kv.set('x', value)],
  'set for a time': ['set', (kv) => kv.set('x', value, hour)],
  'set that keeps the expiry': [
    'evalsha getrange set setrange',
    (kv) => kv.set('x', value, { ttlMs: 'keep' }),
  ],
  'set if absent': ['evalsha getrange exists set', (kv) => kv.set('new', value, { ifVersion: null })],
  'set of a version': [
    'evalsha getrange set',
    async (kv) => kv.set('x', value, { ifVersion: await version(kv) }),
  ],
  setMany: ['mset', (kv) => kv.setMany(pairs)],
  'setMany for a time': ['evalsha set', (kv) => kv.setMany(pairs, hour)],
  update: ['get evalsha getrange set', (kv) => kv.update('x', () => value)],
  touch: ['evalsha getrange setrange pexpireat', (kv) => kv.touch('x', hour)],
  'touch for ever': ['evalsha getrange setrange persist', (kv) => kv.touch('x', { ttlMs: undefined })],
  increment: ['evalsha getrange set', (kv) => kv.increment('n')],
  delete: ['unlink', (kv) => kv.delete('y')],
  deleteMany: ['evalsha unlink', (kv) => kv.deleteMany(['y', 'nothing'])],
  'delete of a version': [
    'evalsha getrange unlink',
    async (kv) => kv.delete('x', { ifVersion: await version(kv) }),
  ],
  keys: ['scan evalsha getrange', (kv) => listed(kv.keys())],
  entries: ['scan mget', (kv) => listed(kv.entries())],
  count: ['scan evalsha getrange', (kv) => kv.count()],
  clear: ['scan evalsha getrange unlink', (kv) => kv.clear({ all: true })],
}
const commands = [...new Set(Object.values(operations).flatMap(([needs]) => needs.split(' ')))]

describeWithOwn('redis', async () => {
  const server = await ownServer('redis')
  const admin = new Redis(server.url, { autoResendUnfulfilledCommands: false })
  afterAll(async () => {
    admin.disconnect()
    await server.stop()
  })

  describe.each(['ioredis', 'node-redis'] as const)('by %s', (driver) => {
    const open = (url: string, dataset: string): Kv =>
      keyValue(track(redis({ url: url as 'redis://h', driver, dataset })))

    /** A user who may run these commands, over records that are there. */
    async function userWith(permitted: readonly string[]): Promise<{ readonly kv: Kv; readonly whole: Kv }> {
      const dataset = freshDataset()
      const whole = keyValue(track(redis({ client: admin, dataset })))
      await whole.setMany([...pairs, ['n', bytes('1')]])
      const acl = ['reset', 'on', '>pw', `~${dataset}:*`, ...permitted.map((command) => `+${command}`)]
      await admin.acl('SETUSER', dataset, ...(acl as [string]))
      return { kv: open(server.url.replace('redis://', `redis://${dataset}:pw@`), dataset), whole }
    }

    test('the least rights are enough for everything, and for scripts that the server does not know', async () => {
      for (const [name, [, run]] of Object.entries(operations)) {
        await admin.script('FLUSH')
        const { kv } = await userWith([...commands, 'eval'])
        expect(await errorOf(() => run(kv)), name).toBeUndefined()
      }
    })

    test.each(commands)('without %s what needs it is ACCESS_DENIED, and changes nothing', async (missing) => {
      const concerned = Object.entries(operations).filter(([, [needs]]) => needs.split(' ').includes(missing))
      const permitted = [...commands, 'eval'].filter((command) => command !== missing)
      await Promise.all(
        concerned.map(async ([name, [, run]]) => {
          const { kv, whole } = await userWith(permitted)
          expect(await refusals(run(kv)), `${name} without ${missing}`).toEqual(['ACCESS_DENIED'])
          expect(await whole.count(), name).toBe(3)
        }),
      )
    })

    test('statistics need the command info, and nothing else', async () => {
      const { kv } = await userWith(['info'])
      expect(await adapterOf(kv).statistics?.(callOptions())).toMatchObject({ scope: 'server' })
      const { kv: denied } = await userWith(commands)
      expect(await refusals(adapterOf(denied).statistics?.(callOptions()) as Promise<unknown>)).toEqual([
        'ACCESS_DENIED',
      ])
    })

    test('the message names the command that is missing, or the keys', async () => {
      const { kv } = await userWith(commands.filter((command) => command !== 'getrange'))
      await admin.script('FLUSH')
      expect((await errorOf(() => kv.get('x')))?.message).toBeUndefined()
      expect((await errorOf(() => kv.has('x')))?.message).toContain('eval')
      const denied = await userWith(commands.filter((command) => command !== 'scan'))
      expect((await errorOf(() => denied.kv.count()))?.message).toContain('+scan')
    })

    test('keys that the user may not use are ACCESS_DENIED, not absent', async () => {
      const { whole } = await userWith([])
      await admin.acl('SETUSER', 'stranger', 'reset', 'on', '>pw', '~other:*', '+@all')
      const url = server.url.replace('redis://', 'redis://stranger:pw@')
      await Promise.all(
        Object.entries(operations).map(async ([name, [, run]]) => {
          const dataset = freshDataset()
          await keyValue(track(redis({ client: admin, dataset }))).set('x', value)
          expect(await refusals(run(open(url, dataset))), name).toEqual(['ACCESS_DENIED'])
        }),
      )
      expect(await whole.count()).toBe(3)
    })
  })
})
