import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { structured } from '../src/codecs/structured.ts'
import {
  type Bytes,
  type Codec,
  codec,
  document,
  isVersion,
  json,
  keyValue,
  newVersion,
  passThrough,
  type StoreError,
} from '../src/index.ts'
import { bytesKey, tupleKey } from '../src/keys/key-codec.ts'
import { memory } from '../src/memory/memory.ts'
import { silentStore, slowStore } from './slow-store.ts'

const bytes = (value: string): Bytes => Buffer.from(value)
const textOf = (stored: Uint8Array): string => Buffer.from(stored).toString()

class List extends Array<number> {}
class Day extends Date {}
const asItIs = {
  '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) },
} as const
const later = {
  '~standard': { version: 1, vendor: 'own', validate: async (value: unknown) => ({ value }) },
} as const
const dates = z.object({ x: z.coerce.date() })
const laterDates = z.object({ x: z.coerce.date().refine(async () => true) })

test.each([
  ['a subclass of Array', asItIs, List.from([1, 2])],
  ['a subclass of Array, later', later, List.from([1, 2])],
  ['properties of an array, later', later, Object.assign([1], { name: 1 })],
  ['a subclass of Date', dates, new Day(5)],
  ['a subclass of Date, later', laterDates, new Day(5)],
  ['properties of a Date', dates, Object.assign(new Date(5), { name: 1 })],
])('json(schema) refuses %s, which would come back as another', async (_, schema, x) => {
  const kv = keyValue(memory(), [json(schema)])
  await expect(kv.set('k', { x })).rejects.toMatchObject({ code: 'INVALID_VALUE' })
})

test('what is refused deep inside a value is told in a short message, with its whole path', async () => {
  let value: unknown = { end: () => {} }
  for (let i = 0; i < 3000; i++) value = { next: value }
  const kv = keyValue(memory(), [structured()])
  const error = (await kv.set('k', value as never).catch((reason: unknown) => reason)) as StoreError
  expect(error.code).toBe('INVALID_VALUE')
  expect(error.path).toHaveLength(3001)
  expect(error.message.length).toBeLessThan(1000)
})

test.each([false, true])(
  'a value that its codec cannot read back fails a write that waits (async: %s)',
  async (isAsync) => {
    const failing = (): never => {
      throw new Error('cannot read')
    }
    const odd: Codec<number> = {
      name: 'odd',
      encode: (value) => bytes(String(value)),
      decode: isAsync ? async () => failing() : failing,
    }
    const kv = keyValue(slowStore({}).store, [passThrough('nothing', { wrap: () => ({}) }), codec(odd)])
    const first = kv.set('k', 1)
    const second = kv.set('k', 2)
    await first
    await expect(second).rejects.toMatchObject({ code: 'INVALID_VALUE', operation: 'set' })
  },
)

/** A promise of somebody who knows no more than `then`. */
const thenable = <T>(value: T): Promise<T> =>
  // oxlint-disable-next-line no-thenable -- a value with `then` is the case under test
  ({ then: (resolve: (value: T) => void) => setImmediate(() => resolve(value)) }) as never

test('codecs and schemas may answer with any kind of promise', async () => {
  const own: Codec<string> = {
    name: 'own',
    encode: (value) => thenable(bytes(value)),
    decode: (stored) => thenable(textOf(stored)),
  }
  const schema = {
    '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => thenable({ value }) },
  } as const
  for (const layer of [codec(own), json(schema)]) {
    const kv = keyValue(memory(), [layer])
    await kv.set('k', 'x')
    expect(await kv.get('k')).toBe('x')
  }
  const kv = keyValue(memory(), [json()])
  await expect(kv.update('k', () => thenable(1) as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

test('a call that a codec makes on the same key lets no later one overtake', async () => {
  const order: string[] = []
  const { store } = slowStore({ batch: { coalesce: false } })
  const noting = {
    ...store,
    write: async (...[mutations, call]: Parameters<typeof store.write>) => {
      const value = textOf((mutations[0] as { readonly value: Bytes }).value)
      order.push(`in ${value}`)
      // The outer write takes longer than the one inside it.
      if (value === 'outer') for (let i = 0; i < 5; i++) await new Promise((done) => setImmediate(done))
      const results = await store.write(mutations, call)
      order.push(`out ${value}`)
      return results
    },
  }
  let inner: Promise<unknown> | undefined
  const calling: Codec<string> = {
    name: 'calling',
    encode: (value) => {
      if (value === 'outer') inner = kv.set('k', 'inner')
      return bytes(value)
    },
    decode: textOf,
  }
  const kv = keyValue(noting, [codec(calling)])
  await Promise.all([kv.set('k', 'outer'), kv.set('k', 'later'), kv.set('k', 'last')])
  await inner
  expect(order.slice(-4)).toEqual(['in later', 'out later', 'in last', 'out last'])
  expect(await kv.get('k')).toBe('last')
})

test('calls that share a signal are told by one listener, which goes with them', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = (): number => getEventListeners(signal, 'abort').length
  const kv = keyValue(slowStore({}).store)
  const served = Array.from({ length: 50 }, (_, i) => kv.get(`k${i}`, { signal }))
  expect(listeners()).toBe(1)
  await Promise.all(served)
  expect(listeners()).toBe(0)
  const silent = keyValue(silentStore())
  const told = Array.from({ length: 50 }, (_, i) => silent.get(`k${i}`, { signal }))
  controller.abort()
  for (const one of told) await expect(one).rejects.toMatchObject({ code: 'ABORTED' })
  expect(listeners()).toBe(0)
})

test('many calls that wait for one key take effect in their order', async () => {
  const kv = keyValue(slowStore({}).store, [json()])
  const all = Array.from({ length: 300 }, (_, i) => [kv.set('k', i), kv.get('k'), kv.get('k')] as const)
  for (const [i, [, one, other]] of all.entries()) expect([await one, await other]).toEqual([i, i])
})

test('no time given to newVersion spoils the versions after it', () => {
  const before = newVersion()
  for (const now of [Number.POSITIVE_INFINITY, Number.NaN, 2 ** 60, Date.now() + 1.5]) newVersion(now)
  const after = newVersion()
  expect([before, after].every(isVersion)).toBe(true)
  expect(after > before).toBe(true)
})

test.each([
  ['byte', bytesKey(), '\u20AC'],
  ['tuple with NaN', tupleKey(), 'nfff8000000000000\u0000'],
  ['tuple with -0', tupleKey(), 'n7fffffffffffffff\u0000'],
  ['tuple with a foreign escape', tupleKey(), 'sa\u00012b\u0000'],
  ['tuple with an open escape', tupleKey(), 'sa\u0001\u0000'],
  ['tuple of an unknown kind', tupleKey(), 'bx\u0000'],
])('a key that encode does not make is CORRUPT: %s', (_, keys, text) => {
  expect(() => keys.decode(text)).toThrow(expect.objectContaining({ code: 'CORRUPT' }))
})

test('layers and stores refuse what they cannot work with when they are made', () => {
  const config = expect.objectContaining({ code: 'INVALID_CONFIG' }) as unknown
  for (const wrong of [{ pretty: true }, null, 'x'])
    for (const layer of [json, structured, document])
      expect(() => (layer as (schema: unknown) => unknown)(wrong)).toThrow(config)
  for (const wrong of [{}, undefined, { name: 'x', encode: 5, decode: 6 }])
    expect(() => codec(wrong as never)).toThrow(config)
  for (const wrong of [{ maxEntries: '5' }, { maxBytes: true }, { name: 5 }, { name: '' }])
    expect(() => memory(wrong as never)).toThrow(config)
})

test('errors say whose fault it is, and of which call', async () => {
  const kv = keyValue(memory())
  await kv.set('k', bytes('v'))
  const throwing = {
    get timeoutMs(): number {
      throw new Error('mine')
    },
  }
  const listed = async (scan: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of scan);
  }
  const wrong = (operation: string): object => ({ code: 'INVALID_ARGUMENT', operation })
  await expect(listed(kv.keys(throwing))).rejects.toMatchObject(wrong('keys'))
  await expect(kv.count(throwing)).rejects.toMatchObject(wrong('count'))
  await expect(kv.clear({ all: true, ...Object.create(throwing) })).resolves.toBe(1)
  await kv.set('k', bytes('v'))
  await expect(
    kv.clear(Object.assign(Object.create(throwing) as object, { all: true as const })),
  ).rejects.toMatchObject(wrong('clear'))
  await expect(kv.getMany(new String('ab') as never)).rejects.toMatchObject(wrong('getMany'))
  expect(Object.is(await kv.increment('n', -0, { initial: -0 }), 0)).toBe(true)
  const unreadable = keyValue(slowStore({}).store, [], {
    keys: {
      name: 'odd',
      encode: (key: string) => key,
      decode: () => {
        throw new Error('mine')
      },
    },
  })
  await unreadable.set('k', bytes('v'))
  await expect(listed(unreadable.keys())).rejects.toMatchObject({ code: 'CORRUPT', operation: 'keys' })
  await expect(unreadable.count()).rejects.toMatchObject({ code: 'CORRUPT', operation: 'count' })
  const close = async (): Promise<void> => Promise.reject(new Error('theirs'))
  await expect(keyValue({ ...memory(), close }).close()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    operation: 'close',
  })
})

test('ttlMs: Infinity means never', async () => {
  const kv = keyValue(memory())
  await kv.set('k', bytes('v'), { ttlMs: 5000 })
  await kv.set('k', bytes('v'), { ttlMs: Number.POSITIVE_INFINITY })
  expect((await kv.getEntry('k'))?.expiresAt).toBeUndefined()
  await kv.touch('k', { ttlMs: 5000 })
  await kv.touch('k', { ttlMs: Number.POSITIVE_INFINITY })
  expect((await kv.getEntry('k'))?.expiresAt).toBeUndefined()
})
