import { keyValue, type Mutation, newVersion, type SetMutation } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import fc from 'fast-check'
import { Command, Redis } from 'ioredis'
import { afterEach, expect, test, vi } from 'vitest'
import { encodeCommand, isSet, roomOf } from '../src/client/encoded-command.ts'
import { raw, records, storedBytes } from '../src/format.ts'
import { redis } from '../src/index.ts'
import { commandOf } from '../src/server/write.ts'
import { bytes, fresh, text, textOf, write, writeAll } from './fresh.ts'

type Set = SetMutation<Uint8Array>

const anySet: fc.Arbitrary<Set> = fc.record({
  type: fc.constant('set'),
  key: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom('\u0000', 'é', '\u{1f600}\r\n$1'),
  ),
  value: fc.uint8Array({ maxLength: 300 }),
  version: fc.constant(undefined).map(() => newVersion()),
})

/** As a batch has them: all with expiry, or none. */
const sets = fc
  .tuple(fc.array(anySet, { minLength: 1, maxLength: 40 }), fc.option(fc.integer({ min: -1, max: 2 ** 43 })))
  .map(([all, at]) => (at === null ? all : all.map((set, i): Set => ({ ...set, expiresAt: at + i / 2 }))))

test('what is sent is byte for byte what ioredis would send', () => {
  fc.assert(
    fc.property(sets, fc.constantFrom(records, raw), (all, format) => {
      const command = commandOf(all, 'unikv:')
      const plain = command.args.map((arg) => (isSet(arg) ? storedBytes(arg, format) : String(arg)))
      const expected = new Command(command.name, plain).toWritable({})
      const room = Buffer.alloc(roomOf(command, format))
      expect(encodeCommand(command, format, room).equals(expected as Buffer)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

describeWith('redis', (url) => {
  const settings = { autoResendUnfulfilledCommands: false }
  const clients: Redis[] = []
  const opened = <C extends Redis>(client: C): C => {
    clients.push(client)
    return client
  }
  afterEach(() => {
    vi.restoreAllMocks()
    for (const client of clients.splice(0)) client.disconnect()
  })

  const later = Date.now() + 3_600_000
  const batch = (expiresAt?: number) =>
    ['a', 'é\u0000', 'c'].map((key) => ({ type: 'set', key, value: bytes(key), expiresAt }) as const)
  const texts = async (store: ReturnType<typeof fresh>) => {
    const found = await store.read(
      batch().map(({ key }) => ({ key })),
      callOptions(),
    )
    return found.map(textOf)
  }

  test.each(['ioredis', 'node-redis'] as const)(
    'batches of %s that run at the same time keep their values apart',
    async (driver) => {
      const kv = keyValue(redis({ url, dataset: `apart_${driver.replace('-', '_')}`, driver }))
      const names = Array.from({ length: 60 }, (_, batchOf) =>
        Array.from({ length: 16 }, (_, i) => `${batchOf % 20}/${i}`),
      )
      const valueOf = (round: number, key: string) => Buffer.alloc(1_000 + round * 20, `${round}:${key};`)
      const rounds = names.map((keys, round) => kv.setMany(keys.map((key) => [key, valueOf(round, key)])))
      await Promise.all(rounds)
      for (const [round, keys] of names.entries()) {
        if (round < 40) continue // overwritten by the later ones
        const found = await kv.getMany(keys)
        const isRight = keys.map((key, i) => valueOf(round, key).equals(found[i] as Buffer))
        expect(isRight).toEqual(keys.map(() => true))
      }
      await kv.close()
    },
  )

  test('sets, deletes and batches of reads go out in one piece, also by a client handed in', async () => {
    const client = opened(new Redis(url, settings))
    await client.ping()
    for (const store of [fresh({ url }), fresh({ client })]) {
      expect(await text(store, 'a')).toBeUndefined()
      const sent = vi.spyOn(Redis.prototype, 'sendCommand')
      await write(store, { type: 'set', key: 'a', value: bytes('a') })
      await write(store, { type: 'set', key: 'a', value: bytes('a'), expiresAt: later })
      await writeAll(store, batch())
      await writeAll(store, batch(later))
      expect(await texts(store)).toEqual(['a', 'é\u0000', 'c'])
      await write(store, { type: 'delete', key: 'é\u0000' })
      const counts = sent.mock.calls.map(([{ args }]) => args.length)
      expect(counts.every((count) => count === 0)).toBe(true)
      expect(counts.length).toBeGreaterThanOrEqual(6)
      vi.restoreAllMocks()
      expect(await texts(store)).toEqual(['a', undefined, 'c'])
    }
  })

  test('a client that looks at its commands sees their arguments', async () => {
    const seen: number[] = []
    class Watching extends Redis {
      override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
        seen.push(command.args.length)
        return super.sendCommand(command, stream)
      }
    }
    const client = opened(new Watching(url, settings))
    await client.ping()
    const store = fresh({ client })
    await text(store, 'a')
    seen.length = 0
    await write(store, { type: 'set', key: 'a', value: bytes('a') })
    await writeAll(store, batch())
    await writeAll(store, batch(later))
    expect(seen.slice(0, 2)).toEqual([2, 6])
    expect(seen.slice(2)).toContain(11)
    seen.length = 0
    expect(await texts(store)).toEqual(['a', 'é\u0000', 'c'])
    await write(store, { type: 'delete', key: 'c' })
    expect(seen).toEqual([3, 1])
  })

  test('a script that the server forgot is sent again with what the values were at the call', async () => {
    const store = fresh({ url })
    await text(store, 'a')
    await (store.native as Redis).script('FLUSH')
    const mutations = batch(later).map((set): Mutation<Uint8Array> => ({ ...set, version: newVersion() }))
    const written = store.write(mutations, callOptions())
    for (const mutation of mutations) if (mutation.type === 'set') mutation.value.fill(0)
    const versions = mutations.map(({ version }) => ({ version }))
    expect(await written).toEqual(versions)
    expect(await texts(store)).toEqual(['a', 'é\u0000', 'c'])
  })

  test('a refused batch is refused item by item', async () => {
    const store = fresh({ url })
    await text(store, 'a')
    const admin = store.native as Redis
    await admin.acl('SETUSER', 'reader', 'on', '>secret', '~*', '+@all', '-mset', '-evalsha', '-set')
    const reader = fresh({ url: url.replace('redis://', 'redis://reader:secret@') as `redis://${string}` })
    for (const expiresAt of [undefined, later]) {
      const results = await writeAll(reader, batch(expiresAt))
      expect(results.map((result) => result instanceof Error && 'code' in result && result.code)).toEqual(
        Array.from({ length: 3 }, () => 'ACCESS_DENIED'),
      )
    }
    await admin.acl('DELUSER', 'reader')
  })
})
