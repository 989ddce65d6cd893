import { setTimeout as pause } from 'node:timers/promises'
import { keyValue } from '@unikv/core'
import { ownServer } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import type { CommandStartedEvent } from 'mongodb'
import { describe, expect, test } from 'vitest'
import { readingAt } from '../src/client/consistency.ts'
import { type MongodbDurability, mongodb } from '../src/index.ts'
import { mongodbBench, onceOnly } from './mongodb-bench.ts'

const value = Buffer.from('value')

describeWith('mongodb', (url) => {
  const bench = mongodbBench(url)

  /** A store whose commands are noted. */
  async function observed(durability: MongodbDurability) {
    const client = bench.client({ ...onceOnly, monitorCommands: true })
    const collection = await bench.collection()
    const store = bench.store({ client, database: 'unikv', collection, durability })
    const kv = keyValue(store, [], { timeoutMs: 60_000 })
    await kv.get('warm')
    const commands: CommandStartedEvent[] = []
    client.on('commandStarted', (event) => commands.push(event))
    return { kv, commands }
  }

  const reads = [
    [undefined, 'majority'],
    ['eventual', 'local'],
    ['local', 'local'],
    ['majority', 'majority'],
    ['linearizable', 'linearizable'],
    ['strong', 'linearizable'],
  ] as const

  test.each(reads)(
    'a read at level %s has the read concern %s, one of many and a scan too',
    async (level, concern) => {
      const { kv, commands } = await observed('flushed')
      await kv.set('key', value, { consistency: level })
      commands.length = 0
      expect(await kv.get('key', { consistency: level })).toEqual(value)
      expect(await kv.getMany(['key', 'absent'], { consistency: level })).toEqual([value, undefined])
      for await (const key of kv.keys({ consistency: level })) expect(key).toBe('key')
      expect(commands.map(({ command }) => command['readConcern'])).toEqual(Array(3).fill({ level: concern }))
      const preferences = commands.map(({ command }) => command['$readPreference']?.mode)
      expect(new Set(preferences)).toEqual(
        new Set([level === 'eventual' ? 'secondaryPreferred' : 'primaryPreferred']),
      )
    },
  )

  test.each([
    ['flushed', undefined, { w: 'majority', j: true }],
    ['flushed', 'eventual', { w: 'majority', j: true }],
    ['memory', undefined, { w: 1, j: false }],
    ['memory', 'local', { w: 1, j: false }],
    ['memory', 'strong', { w: 'majority', j: false }],
  ] as const)(
    'with durability %s a write at level %s has its write concern',
    async (durability, level, concern) => {
      const { kv, commands } = await observed(durability)
      const settings = { consistency: level }
      const { version } = await kv.set('key', value, settings)
      await kv.set('key', value, { ...settings, ifVersion: version })
      await kv.setMany(
        [
          ['a', value],
          ['b', value],
        ],
        settings,
      )
      await kv.increment('n', 1, settings)
      await kv.touch('key', { ttlMs: 60_000, ...settings })
      await kv.deleteMany(['a', 'b'], settings)
      await kv.delete('key', settings)
      const sent = commands.filter(({ commandName }) => commandName !== 'aggregate')
      expect(sent.length).toBeGreaterThanOrEqual(7)
      for (const { command } of sent) expect(command['writeConcern'].toBSON()).toEqual(concern)
    },
  )

  test('with primaryPreferred a read may ask a secondary, unless only the primary can answer it', async () => {
    const asks = (level?: string) => readingAt(level, 'flushed', 'primaryPreferred').preference
    expect([undefined, 'majority', 'strong', 'eventual'].map(asks)).toEqual([
      'primaryPreferred',
      'primaryPreferred',
      'primary',
      'secondaryPreferred',
    ])
    const collection = await bench.collection()
    const kv = keyValue(bench.store({ url, collection, readPreference: 'primaryPreferred' }))
    await kv.set('key', value)
    expect(await kv.get('key')).toEqual(value)
    expect(() => mongodb({ url, readPreference: 'nearest' as never })).toThrow(
      "`readPreference` of mongodb() must be 'primary' or 'primaryPreferred'",
    )
  })

  test('with durability memory a read sees what one member acknowledged', async () => {
    const { kv, commands } = await observed('memory')
    await kv.get('key')
    expect(commands.at(-1)?.command['readConcern']).toEqual({ level: 'local' })
  })

  test('one call is one command, a batch of sets or deletes too', async () => {
    const { kv, commands } = await observed('flushed')
    const names = async (work: () => Promise<unknown>) => {
      commands.length = 0
      await work()
      return commands.map(({ commandName }) => commandName)
    }
    const entries = Array.from({ length: 100 }, (_, i) => [`key ${i}`, value] as const)
    const keys = entries.map(([key]) => key)
    expect(await names(() => kv.setMany(entries))).toEqual(['update'])
    expect(await names(() => kv.getMany(keys))).toEqual(['aggregate'])
    expect(await names(() => kv.deleteMany(keys))).toEqual(['delete'])
    expect(await names(() => kv.set('key', value, { ifVersion: null }))).toEqual(['insert'])
    const { version } = await kv.set('key', value)
    expect(await names(() => kv.set('key', value, { ifVersion: version }))).toEqual(['findAndModify'])
    expect(await names(() => kv.touch('key', { ttlMs: 1_000 }))).toEqual(['findAndModify'])
    await kv.increment('n')
    expect(await names(() => kv.increment('n'))).toEqual(['findAndModify'])
  })

  test('the server removes them by a TTL index', async () => {
    const collection = await bench.collection()
    const indexes = await bench.db.collection(collection).indexes()
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }))
  })

  describe('a server without a replica set', () => {
    test('takes every level: what it holds is all there is', async () => {
      await using server = await ownServer('mongodb', { args: ['--standalone'] })
      const kv = keyValue(mongodb({ url: server.url, prepare: true }))
      for (const consistency of kv.capabilities.consistency) {
        await kv.set('key', value, { consistency })
        expect(await kv.get('key', { consistency })).toEqual(value)
      }
      await kv.close()
      await pause(0)
    })
  })
})
