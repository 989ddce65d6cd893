import { Readable } from 'node:stream'
import { bytes, json, keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { parts, readStream, writeStream } from '../src/index.ts'
import { bodyOf, bytesOf, noise, opened, pieces, streamedFrom } from './opened.ts'

/** A promise that the test ends. */
function held(): { readonly gone: Promise<void>; end: () => void } {
  let end = (): void => {}
  const gone = new Promise<void>((resolve) => {
    end = resolve
  })
  return { gone, end }
}

describe('memory', () => {
  test('a source is asked for no more than a few parts beyond what the store has taken', async () => {
    const { kv, hooks } = opened()
    const { gone, end } = held()
    hooks.onWrite = () => gone
    let given = 0
    async function* source() {
      for (; given < 50; given++) yield noise(100, given)
    }
    const written = writeStream(kv, 'a', source())
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(given).toBeLessThanOrEqual(5)
    end()
    await written
    expect((await streamedFrom(kv, 'a'))?.length).toBe(5000)
  })

  test('no part is read before it is nearly wanted', async () => {
    const { kv, hooks } = opened()
    await writeStream(kv, 'a', pieces(noise(5000)))
    let reads = 0
    hooks.onRead = () => reads++
    const body = await bodyOf(readStream(kv, 'a'))
    expect(reads).toBe(2)
    const reader = body.getReader()
    for (let taken = 1; taken <= 10; taken++) {
      await reader.read()
      await new Promise((resolve) => setImmediate(resolve))
      expect(reads).toBeLessThanOrEqual(taken + 4)
    }
    await reader.cancel()
    await new Promise((resolve) => setImmediate(resolve))
    expect(reads).toBeLessThan(16)
  })
})

describe('sources', () => {
  test.each([
    ['a stream of the web', () => new Blob([new Uint8Array(noise(777))]).stream()],
    ['a stream of Node.js', () => Readable.from(pieces(noise(777)))],
    ['a generator', () => pieces(noise(777))],
  ])('%s', async (_, make) => {
    const { kv } = opened()
    await writeStream(kv, 'a', make() as AsyncIterable<Uint8Array>)
    expect(await streamedFrom(kv, 'a')).toEqual(noise(777))
  })

  test('a piece may be used for other bytes once the next one is asked for', async () => {
    const { kv } = opened()
    const piece = Buffer.alloc(130)
    async function* reused() {
      for (let i = 0; i < 9; i++) yield piece.fill(i)
    }
    await writeStream(kv, 'a', reused())
    const wanted = Buffer.concat(Array.from({ length: 9 }, (_, i) => Buffer.alloc(130, i)))
    expect(await streamedFrom(kv, 'a')).toEqual(wanted)
  })

  test('the error of a source is told as it is, and nothing is left', async () => {
    const { kv, keys } = opened()
    await kv.set('a', noise(300))
    async function* broken() {
      yield noise(555)
      throw new RangeError('The disk is gone.')
    }
    await expect(writeStream(kv, 'a', broken())).rejects.toThrow(RangeError)
    expect(await streamedFrom(kv, 'a')).toEqual(noise(300))
    expect((await keys()).parts).toHaveLength(3)
  })

  test.each([undefined, 'text', noise(5), [noise(5)], { length: 3 }])('%s is not one', async (source) => {
    await expect(writeStream(opened().kv, 'a', source as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  test('pieces that are not bytes are refused', async () => {
    const { kv } = opened()
    await expect(writeStream(kv, 'a', Readable.from(['text']))).rejects.toMatchObject({
      code: 'INVALID_VALUE',
    })
    expect(await kv.get('a')).toBeUndefined()
  })

  test('a store that fails ends the source', async () => {
    const { kv, hooks, keys } = opened()
    let writes = 0
    hooks.onWrite = () => {
      if (++writes === 7) throw new Error('The store is gone.')
    }
    let isEnded = false
    async function* endless() {
      try {
        for (;;) yield noise(100)
      } finally {
        isEnded = true
      }
    }
    await expect(writeStream(kv, 'a', endless())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(isEnded).toBe(true)
    expect(await keys()).toEqual({ users: [], parts: [] })
  })
})

describe('a signal', () => {
  test('ends a write whose source has nothing to give', async () => {
    const { kv, keys } = opened()
    const stop = new AbortController()
    async function* silent() {
      yield noise(555)
      setImmediate(() => stop.abort())
      await new Promise(() => {})
    }
    const written = writeStream(kv, 'a', silent(), { signal: stop.signal })
    await expect(written).rejects.toMatchObject({ code: 'ABORTED' })
    expect(await keys()).toEqual({ users: [], parts: [] })
    await expect(writeStream(kv, 'a', silent(), { signal: stop.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    })
  })

  test('ends a read under way', async () => {
    const { kv } = opened()
    await kv.set('a', noise(5000))
    const stop = new AbortController()
    const found = await readStream(kv, 'a', { signal: stop.signal })
    stop.abort()
    await expect(bytesOf(found?.body as ReadableStream)).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

test('the deadline is that of each call, and not of the whole', async () => {
  const { kv, hooks } = opened()
  async function* slow() {
    for (let i = 0; i < 10; i++) {
      yield noise(100, i)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  }
  await writeStream(kv, 'a', slow(), { timeoutMs: 500 })
  hooks.onRead = (reads) =>
    reads.some(({ key }) => key.includes('00000007')) ? new Promise(() => {}) : undefined
  const found = await readStream(kv, 'a', { timeoutMs: 100 })
  await expect(bytesOf(found?.body as ReadableStream)).rejects.toMatchObject({ code: 'TIMEOUT' })
})

describe('stacks', () => {
  const none = passThrough('none', { wrap: () => ({}) })

  test('layers that pass values on may stand above, and so may the codec of bytes', async () => {
    const kv = keyValue(memory(), [none, bytes(), parts({ above: 10, size: 10 })])
    await writeStream(kv, 'a', pieces(noise(50)))
    expect(await streamedFrom(kv, 'a')).toEqual(noise(50))
    expect(await kv.get('a')).toEqual(new Uint8Array(noise(50)))
  })

  test.each([
    ['without the layer', keyValue(memory()), /Add parts\(\)/],
    ['below a codec', keyValue(memory(), [json(), parts()]), /json stands above/],
    [
      'below a cache',
      keyValue(memory(), [passThrough('cache', { wrap: () => ({}) }), parts()]),
      /cache stands above/,
    ],
  ])('%s there are no streams', async (_, kv, why) => {
    const any = kv as never
    await expect(readStream(any, 'a' as never)).rejects.toMatchObject({ code: 'UNSUPPORTED', message: why })
    await expect(writeStream(any, 'a' as never, pieces(noise(5)))).rejects.toThrow(why)
  })

  test('a closed store gives and takes nothing', async () => {
    const { kv } = opened()
    await kv.close()
    await expect(readStream(kv, 'a')).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(writeStream(kv, 'a', pieces(noise(500)))).rejects.toMatchObject({ code: 'CLOSED' })
  })

  test('one layer of parts is enough', () => {
    expect(() => keyValue(memory(), [parts(), parts()])).toThrow(/already in parts/)
  })
})

test.each([
  [{ start: 1.5 }, /start must be a whole number/],
  [{ end: Number.NaN }, /end must be a whole number/],
  [{ from: 1 }, /Unknown option `from`/],
])('%o is refused', async (options, why) => {
  await expect(readStream(opened().kv, 'a', options as never)).rejects.toThrow(why)
})

test.each([{ ttlMs: -1 }, { expiresAt: 5, ttlMs: 5 }, { ifVersion: 'old' }, { life: 5 }])(
  '%o is refused before a byte is taken',
  async (options) => {
    let isAsked = false
    async function* source() {
      isAsked = true
      yield noise(5)
    }
    const written = writeStream(opened().kv, 'a', source(), options as never)
    await expect(written).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(isAsked).toBe(false)
  },
)

test.each([
  { above: 0 },
  { size: 2 ** 31 },
  { maxValueBytes: -1 },
  { readBeforeWrite: 1 },
  { acceptPlain: 'yes' },
  { clock: 5 },
])('parts(%o) is refused', (options) => {
  expect(() => parts(options as never)).toThrow(Object.keys(options)[0])
})
