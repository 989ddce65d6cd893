import { keyValue } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { parts, readStream, writeStream } from '../src/index.ts'
import { bytesOf, listOf, noise, opened, pieces, streamedFrom } from './opened.ts'

describe('values at the bounds of parts', () => {
  const lengths = [0, 1, 99, 100, 101, 199, 200, 201, 300, 12_345]

  test.each(lengths)('%i bytes come back however they were written and are read', async (length) => {
    const { kv, keys } = opened()
    const value = noise(length)
    const count = length <= 100 ? 0 : Math.ceil(length / 100)
    await kv.set('a', value)
    expect((await keys()).parts).toHaveLength(count)
    expect(await streamedFrom(kv, 'a')).toEqual(value)
    await writeStream(kv, 'a', pieces(value))
    expect(await kv.get('a')).toEqual(new Uint8Array(value))
    expect(await streamedFrom(kv, 'a')).toEqual(value)
    await expect.poll(async () => (await keys()).parts.length).toBe(count)
    expect(await kv.getEntry('a')).toMatchObject(await (kv.head('a') as Promise<object>))
  })

  test.each([1, 50, 100, 101, 1000])('pieces of %i bytes make the same value', async (size) => {
    const { kv } = opened()
    const value = noise(777)
    await writeStream(kv, 'a', pieces(value, size))
    expect(await kv.get('a')).toEqual(new Uint8Array(value))
  })

  test('a limit above the size of a part, and one below it', async () => {
    for (const above of [30, 250]) {
      const { kv, keys } = opened({ above })
      for (const length of [30, 31, 100, 250, 251]) {
        const value = noise(length)
        const count = length <= above ? 0 : Math.ceil(length / 100)
        for (const write of [() => kv.set('a', value), () => writeStream(kv, 'a', pieces(value))]) {
          await write()
          await expect.poll(async () => (await keys()).parts.length).toBe(count)
          expect(await streamedFrom(kv, 'a')).toEqual(value)
        }
      }
    }
  })
})

test('a range is that of slice, and reads only the parts that it lies in', async () => {
  const { kv, hooks } = opened()
  const value = noise(1000)
  await kv.set('a', value)
  const read: string[] = []
  hooks.onRead = (reads) => read.push(...reads.map(({ key }) => key))
  for (const start of [undefined, 0, 1, 99, 100, 450, 999, 1000, 2000, -1, -100, -2000])
    for (const end of [undefined, 0, 1, 100, 101, 550, 1000, 3000, -1, -450]) {
      read.length = 0
      const found = await readStream(kv, 'a', { start, end })
      const wanted = value.subarray(start, end)
      expect(await bytesOf(found?.body as ReadableStream)).toEqual(wanted)
      expect(found?.length).toBe(1000)
      expect(read.length).toBeLessThanOrEqual(2 + Math.ceil(wanted.length / 100))
    }
  await kv.set('b', noise(40))
  const short = await readStream(kv, 'b', { start: -10, end: -5 })
  expect(await bytesOf(short?.body as ReadableStream)).toEqual(noise(40).subarray(30, 35))
})

test('listings show values and no parts', async () => {
  const { kv } = opened()
  await kv.setMany([
    ['a', noise(1000)],
    ['b', noise(10)],
  ])
  expect(await listOf(kv.keys())).toEqual(['a', 'b'])
  const entries = await listOf(kv.entries())
  expect(entries.map(([key, { value }]) => [key, value.length])).toEqual([
    ['a', 1000],
    ['b', 10],
  ])
  expect(await kv.count()).toBe(2)
})

test('a longer value than may be held at once is read and written as a stream alone', async () => {
  const { kv } = opened({ maxValueBytes: 500 })
  const value = noise(501)
  await expect(kv.set('a', value)).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
  await writeStream(kv, 'a', pieces(value))
  await expect(kv.get('a')).rejects.toMatchObject({ code: 'VALUE_TOO_LARGE' })
  expect(await streamedFrom(kv, 'a')).toEqual(value)
  expect(await kv.has('a')).toBe(true)
})

test('the values of one call have a limit together', async () => {
  const { kv } = opened({ maxValueBytes: 500 })
  const keys = ['a', 'b', 'c', 'd', 'e']
  for (const key of keys) await kv.set(key, noise(450))
  await expect(kv.getMany(keys)).rejects.toMatchObject({
    code: 'PARTIAL',
    results: [{}, {}, {}, {}, { code: 'VALUE_TOO_LARGE' }],
  })
})

test('keys of namespaces, and keys without room for those of parts', async () => {
  const { kv } = opened()
  const inside = kv.namespace('inside')
  await writeStream(inside, 'a', pieces(noise(500)))
  expect(await kv.has('a')).toBe(false)
  expect(await streamedFrom(inside, 'a')).toEqual(noise(500))
  const long = 'k'.repeat(kv.capabilities.maxKeyBytes - 10)
  await kv.set(long, noise(500))
  expect(await kv.get(long)).toEqual(new Uint8Array(noise(500)))
  await expect(writeStream(kv, long, pieces(noise(501)))).rejects.toMatchObject({ code: 'KEY_TOO_LONG' })
  expect(await kv.get(long)).toEqual(new Uint8Array(noise(500)))
})

test('records that were there before are taken for values where it is said', async () => {
  const store = memory()
  await keyValue(store).set('old', noise(300))
  await expect(keyValue(store, [parts()]).get('old')).rejects.toMatchObject({ code: 'CORRUPT' })
  const kv = keyValue(store, [parts({ acceptPlain: true, above: 100, size: 100 })])
  expect(await kv.get('old')).toEqual(new Uint8Array(noise(300)))
  expect(await streamedFrom(kv, 'old')).toEqual(noise(300))
  await kv.set('old', noise(400))
  expect(await streamedFrom(kv, 'old')).toEqual(noise(400))
})

test('damaged records and parts are CORRUPT, and never other values', async () => {
  const { kv, below, keys } = opened()
  await kv.set('a', noise(250))
  await kv.set('b', noise(250, 2))
  const all = [...(await keys()).users, ...(await keys()).parts]
  const held = await below.read(
    all.map((key) => ({ key })),
    callOptions(),
  )
  for (const [i, key] of all.entries()) {
    const { value } = held[i] as { readonly value: Uint8Array }
    const other = held[(i + 1) % all.length] as { readonly value: Uint8Array }
    const flipped = (at: number) => value.map((byte, n) => (n === at ? byte ^ 1 : byte))
    const damaged = [
      value.subarray(0, -1),
      Buffer.concat([value, Buffer.from([0])]),
      new Uint8Array(),
      other.value,
    ]
    for (const bad of [...damaged, flipped(0), flipped(1), flipped(7), flipped(value.length - 1)]) {
      await put(key, bad)
      const failed = await Promise.allSettled(
        ['a', 'b'].flatMap((one) => [kv.get(one), streamedFrom(kv, one)]),
      )
      const codes = failed.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
      expect(codes).toEqual(['CORRUPT', 'CORRUPT'])
    }
    await put(key, value)
  }
  async function put(key: string, value: Uint8Array): Promise<void> {
    const version = '0'.repeat(24)
    await below.write([{ type: 'set', key, value, version }], callOptions())
  }
})
