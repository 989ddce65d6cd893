import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Bytes, type Codec, codec, json, keyValue, passThrough, text } from '../src/index.ts'
import { memory } from '../src/memory/memory.ts'
import { slowStore } from './slow-store.ts'

const merging = { batch: { coalesce: { min: 2, max: 32 } } }

test('callers who share a read get bytes of their own', async () => {
  const kv = keyValue(slowStore(merging).store)
  await kv.set('k', Buffer.from('value'))
  const found = await Promise.all(Array.from({ length: 40 }, () => kv.get('k')))
  found[20]?.fill(0)
  expect(found.filter((one) => Buffer.from(one as Bytes).toString() === 'value')).toHaveLength(39)
  expect(new Set(found.map((one) => one?.buffer)).size).toBe(40)
})

test('callers who share a read of a document get documents of their own', async () => {
  const { store } = slowStore({ ...merging, capabilities: { documents: true as never } })
  const documents = { ...store, read: async (reads: readonly unknown[]) => reads.map(() => entry) } as never
  const entry = { value: { tags: ['a'] }, version: undefined, expiresAt: undefined }
  const kv = keyValue(documents) as unknown as { get(key: string): Promise<{ tags: string[] }> }
  const found = await Promise.all(Array.from({ length: 10 }, () => kv.get('k')))
  found[5]?.tags.push('b')
  expect(found.filter(({ tags }) => tags.length === 1)).toHaveLength(9)
})

test('a codec of the application sees stored bytes that are no other reader’s', async () => {
  const views: Codec<{ readonly body: Bytes }> = {
    name: 'views',
    encode: ({ body }) => body,
    decode: (stored) => ({ body: stored }),
  }
  const kv = keyValue(slowStore(merging).store, [codec(views)])
  await kv.set('k', { body: Buffer.from('value') })
  const found = await Promise.all(Array.from({ length: 20 }, () => kv.get('k')))
  found[10]?.body.fill(0)
  expect(found.filter((one) => Buffer.from(one?.body as Bytes).toString() === 'value')).toHaveLength(19)
})

test('a store that takes its time gets the bytes as they were', async () => {
  const kv = keyValue(slowStore(merging).store)
  const buffer = Buffer.alloc(4)
  const all: Promise<unknown>[] = []
  for (let i = 0; i < 100; i++) {
    buffer.write(String(i).padStart(4, '0'))
    all.push(kv.set(`k${i}`, buffer))
  }
  await Promise.all(all)
  for (let i = 0; i < 100; i++)
    expect(Number(Buffer.from((await kv.get(`k${i}`)) as Bytes).toString())).toBe(i)
})

test.each([false, true])('a codec encodes a value once (a layer above: %s)', async (isCovered) => {
  const encoded: string[] = []
  const counting: Codec<string> = {
    name: 'counting',
    encode: (value) => {
      encoded.push(value)
      return Buffer.from(value)
    },
    decode: (stored) => Buffer.from(stored).toString(),
  }
  const { store } = slowStore({})
  const above = passThrough('above', { wrap: () => ({}) })
  const kv = isCovered ? keyValue(store, [above, codec(counting)]) : keyValue(store, [codec(counting)])
  await Promise.all([kv.set('k', 'first'), kv.set('k', 'waits'), kv.setMany([['l', 'third']])])
  await kv.update('l', () => 'fourth')
  expect(encoded).toEqual(['first', 'waits', 'third', 'fourth'])
})

test.each([true, false])('what a codec hands on is taken at once (of the caller: %s)', async (isCallers) => {
  const scratch = Buffer.alloc(4)
  const handing: Codec<{ readonly data: Bytes }> = {
    name: 'handing',
    encode: ({ data }) => {
      scratch.set(data)
      return isCallers ? data : scratch
    },
    decode: (stored) => ({ data: stored }),
  }
  const kv = keyValue(slowStore(merging).store, [codec(handing)])
  const buffer = Buffer.alloc(4)
  const all = Array.from({ length: 20 }, (_, i) => {
    buffer.write(String(i).padStart(4, '0'))
    return kv.set(`k${i}`, { data: buffer })
  })
  await Promise.all(all)
  for (let i = 0; i < 20; i++)
    expect(Number(Buffer.from((await kv.get(`k${i}`))?.data as Bytes).toString())).toBe(i)
})

test('a codec encodes at the time of the call, whatever is under way on the key', async () => {
  const kv = keyValue(slowStore({}).store, [json()])
  for (const before of [() => kv.get('k'), () => kv.set('k', 1), () => Promise.resolve()]) {
    const waits = before()
    const value: { n: number } = { n: 2 }
    const set = kv.set('k', value)
    value.n = 3
    await Promise.all([waits, set])
    expect(await kv.get('k')).toEqual({ n: 2 })
  }
})

test('a refusal is that of the value as it was', async () => {
  const kv = keyValue(slowStore({}).store, [json()])
  const reading = kv.get('k')
  const good = { n: 2 }
  const bad = { n: Number.NaN }
  const calls = [kv.set('k', good), kv.set('k', bad), kv.set('other', good)]
  good.n = Number.NaN
  bad.n = 1
  const [first, second, third] = await Promise.allSettled(calls)
  expect(first).toMatchObject({ status: 'fulfilled' })
  expect(second).toMatchObject({ reason: { code: 'INVALID_VALUE', operation: 'set', key: 'k' } })
  expect(third).toMatchObject({ status: 'fulfilled' })
  expect(await kv.get('k')).toEqual({ n: 2 })
  await reading
})

test('a layer that calls the store later hands on what was there at the call', async () => {
  const late = passThrough('late', {
    wrap: (inner) => ({
      write: async (mutations, call) => {
        await turn()
        return inner.write(mutations, call)
      },
    }),
  })
  const value = { n: 2 }
  const buffer = Buffer.from('2')
  for (const store of [memory(), slowStore({}).store]) {
    const objects = keyValue(store, [late, json()])
    const raw = keyValue(store, [late])
    value.n = 2
    buffer.write('2')
    const waiting = [raw.get('raw'), objects.get('k')]
    const calls = [
      objects.set('k', value),
      objects.set('free', value),
      raw.set('raw', buffer),
      raw.set('r', buffer),
    ]
    value.n = 3
    buffer.write('3')
    await Promise.all([...waiting, ...calls])
    expect(await objects.getMany(['k', 'free'])).toEqual([{ n: 2 }, { n: 2 }])
    expect((await raw.getMany(['raw', 'r'])).map(String)).toEqual(['50', '50'])
  }
})

test('a layer above the codec sees the value as it was', async () => {
  const seen: unknown[] = []
  const watching = passThrough('watching', {
    wrap: (inner) => ({
      write: (mutations, call) => {
        for (const one of mutations) if (one.type === 'set') seen.push(structuredClone(one.value))
        return inner.write(mutations, call)
      },
    }),
  })
  const kv = keyValue(slowStore({}).store, [watching, json()])
  const reading = kv.get('k')
  const value = { n: 2 }
  const set = kv.set('k', value)
  value.n = 3
  await Promise.all([reading, set])
  expect(seen).toEqual([{ n: 2 }])
})

test('an asynchronous codec gets the bytes of the call', async () => {
  const slow: Codec<Bytes> = {
    name: 'slow',
    encode: async (value) => {
      await turn()
      return value
    },
    decode: (stored) => stored,
  }
  const kv = keyValue(memory(), [codec(slow)])
  const buffer = Buffer.from('2')
  const set = kv.set('k', buffer)
  const queued = kv.set('k', buffer)
  buffer.write('3')
  await Promise.all([set, queued])
  expect(Array.from((await kv.get('k')) as Bytes)).toEqual([50])
})

test('repeated keys of getMany are read once and answered each', async () => {
  const { store, sent } = slowStore({})
  const kv = keyValue(store, [json()])
  await kv.set('a', { n: 1 })
  const found = (await kv.getMany(['a', 'b', 'a'])) as ({ n: number } | undefined)[]
  expect(found).toEqual([{ n: 1 }, undefined, { n: 1 }])
  expect(found[0]).not.toBe(found[2])
  expect(sent.at(-1)).toEqual({ verb: 'read', keys: ['a', 'b'] })
  expect(await keyValue(memory(), [text()]).getMany(['x', 'x'])).toEqual([undefined, undefined])
})
