import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isPromise } from '@unikv/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CompressOptions, compress, decompress } from '../src/index.ts'
import { algorithms, codeOf, prose } from './samples.ts'

interface Golden {
  readonly name: string
  readonly value: string
  readonly frame: string
  readonly dictionary?: string
}

const golden = JSON.parse(
  readFileSync(new URL('golden/frames.json', import.meta.url), 'utf8'),
) as readonly Golden[]

describe('golden frames', () => {
  test.each(golden)('$name, made outside Node, is read', async ({ frame, value, dictionary }) => {
    const dictionaries = dictionary === undefined ? [] : [Buffer.from(dictionary, 'hex')]
    for (const threads of [true, false])
      expect(await decompress(Buffer.from(frame, 'hex'), { dictionaries, threads })).toEqual(
        Buffer.from(value, 'hex'),
      )
  })

  test('there are some of each algorithm', () => {
    const ids = new Set(golden.map(({ frame }) => Buffer.from(frame, 'hex')[1]))
    expect([...ids].toSorted((a, b) => Number(a) - Number(b))).toEqual([0, 1, 2, 3, 4, 5, 6, 130, 132])
  })
})

describe.each(algorithms)('%s', (algorithm) => {
  test('gives back any value, at any level, on the thread and on the pool', async () => {
    const levels = {
      gzip: [1, 9],
      deflate: [6],
      brotli: [0, 10],
      zstd: [1, 19],
      lz4: [undefined],
      snappy: [undefined],
    }[algorithm]
    for (const level of levels)
      for (const length of [0, 1, 127, 128, 129, 8192, 8193, 65_536, 65_537])
        for (const value of [prose(length), new Uint8Array(length), randomBytes(length)]) {
          const frame = await compress(value, { algorithm, level })
          expect(frame.length).toBeLessThanOrEqual(length + 6)
          expect(Buffer.compare(await decompress(frame), value)).toBe(0)
          expect(Buffer.compare(await decompress(frame, { threads: false }), value)).toBe(0)
        }
  })

  test('gives back any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), fc.nat(8), (bytes, repeats) => {
        const value = Buffer.concat(Array.from({ length: repeats + 1 }, () => bytes))
        const frame = compress(value, { algorithm, threads: false, minBytes: 0 }) as Uint8Array
        expect(decompress(frame, { threads: false })).toEqual(value)
      }),
      { numRuns: 60 },
    )
  })

  test('makes prose smaller, and stores what does not get smaller', async () => {
    expect((await compress(prose(10_000), { algorithm })).length).toBeLessThan(6500)
    const noise = randomBytes(10_000)
    const frame = await compress(noise, { algorithm })
    expect([frame[1], frame.length]).toEqual([0, 10_006])
  })

  test('answers at once for small values, with a promise for large ones, and always at once without threads', async () => {
    expect(isPromise(compress(prose(4096), { algorithm }))).toBe(false)
    const large = compress(prose(200_000), { algorithm })
    expect(isPromise(large)).toBe(true)
    const frame = await large
    expect(isPromise(decompress(frame))).toBe(true)
    expect(isPromise(decompress(await compress(prose(60_000), { algorithm })))).toBe(false)
    const atOnce = compress(prose(200_000), { algorithm, threads: false })
    expect(isPromise(atOnce)).toBe(false)
    expect(atOnce).toEqual(frame)
    expect(isPromise(decompress(frame, { threads: false }))).toBe(false)
  })
})

test('a slow level goes to the pool however small the value is', () => {
  expect(isPromise(compress(prose(1000), { algorithm: 'brotli', level: 11 }))).toBe(true)
  expect(isPromise(compress(prose(1000), { algorithm: 'brotli', level: 9 }))).toBe(false)
})

test.each([
  ['Uint8Array', Uint8Array.from(prose(300_000))],
  ['Buffer', Buffer.from(prose(300_000))],
])('a %s that is changed while the pool works is compressed as it was', async (_, value) => {
  const before = Buffer.from(value)
  const frame = compress(value, { level: 9 })
  value.fill(0)
  expect(Buffer.compare(await decompress(await frame), before)).toBe(0)
})

test('values below minBytes are stored as they are', async () => {
  expect((await compress(new Uint8Array(127)))[1]).toBe(0)
  expect((await compress(new Uint8Array(128)))[1]).toBe(1)
  expect((await compress(new Uint8Array(999), { minBytes: 1000 }))[1]).toBe(0)
  expect((await compress(new Uint8Array(20), { minBytes: 0 }))[1]).toBe(0)
})

test('a value over maxOutputBytes is neither written nor read', async () => {
  const frame = await compress(prose(1001))
  expect(await codeOf(() => compress(prose(1001), { maxOutputBytes: 1000 }))).toBe('VALUE_TOO_LARGE')
  expect(await codeOf(() => decompress(frame, { maxOutputBytes: 1000 }))).toBe('VALUE_TOO_LARGE')
  expect(await codeOf(() => decompress(frame, { maxOutputBytes: 1001 }))).toBeUndefined()
})

test('a view into a larger buffer is taken for what it shows', async () => {
  const around = Buffer.concat([Buffer.alloc(7, 1), prose(3000), Buffer.alloc(7, 2)])
  const frame = await compress(around.subarray(7, -7))
  const shifted = Buffer.concat([Buffer.alloc(3), frame, Buffer.alloc(3)]).subarray(3, -3)
  expect(await decompress(new Uint8Array(shifted.buffer, shifted.byteOffset, shifted.length))).toEqual(
    Buffer.from(prose(3000)),
  )
})

const bad: readonly [string, CompressOptions, string][] = [
  ['an unknown algorithm', { algorithm: 'lzma' as never }, 'INVALID_CONFIG'],
  ['an algorithm that every object has', { algorithm: 'constructor' as never }, 'INVALID_CONFIG'],
  ['level 0 of gzip', { level: 0 }, 'INVALID_CONFIG'],
  ['level 10 of gzip', { level: 10 }, 'INVALID_CONFIG'],
  ['level 12 of brotli', { algorithm: 'brotli', level: 12 }, 'INVALID_CONFIG'],
  ['a fraction of a level', { level: 1.5 }, 'INVALID_CONFIG'],
  ['a level of text', { level: '6' as never }, 'INVALID_CONFIG'],
  ['a negative minBytes', { minBytes: -1 }, 'INVALID_CONFIG'],
  ['no number for minBytes', { minBytes: Number.NaN }, 'INVALID_CONFIG'],
  ['no output at all', { maxOutputBytes: 0 }, 'INVALID_CONFIG'],
  ['an endless output', { maxOutputBytes: Number.POSITIVE_INFINITY }, 'INVALID_CONFIG'],
  ['an output over 4 GiB', { maxOutputBytes: 2 ** 32 }, 'INVALID_CONFIG'],
]

test.each(bad)('%s is refused', async (_, options, code) => {
  expect(await codeOf(() => compress(prose(10), options))).toBe(code)
})

test('what is not bytes is refused', async () => {
  for (const value of ['text', 7, null, undefined, {}, [1], new ArrayBuffer(8)]) {
    expect(await codeOf(() => compress(value as never))).toBe('INVALID_VALUE')
    expect(await codeOf(() => decompress(value as never))).toBe('INVALID_VALUE')
  }
})
