import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aboutSize, formatSize, maxSizes, parseSize, parseSizes } from '../src/data/size-list.ts'

describe('parseSize', () => {
  test.each([
    ['1', 1],
    ['100', 100],
    ['1K', 1_000],
    ['1k', 1_000],
    ['1KB', 1_000],
    ['1Ki', 1_024],
    ['4kib', 4_096],
    ['1.5K', 1_500],
    ['1M', 1_000_000],
    ['1Mi', 1_048_576],
    ['1Gi', 2 ** 30],
  ])('reads %s as %i bytes', (text, bytes) => expect(parseSize(text)).toBe(bytes))

  test.each(['', 'x', '1X', '-1', '1.0001K', '1e3', '1 K K', '0x10', 'NaN', 'i', '1i'])(
    'refuses %j as no size',
    (text) => expect(() => parseSize(text)).toThrow(`Sizes: '${text}' is not a size`),
  )

  test.each(['0', '2G', '2Gi'])('refuses %s as outside 1 byte to 1Gi', (text) =>
    expect(() => parseSize(text)).toThrow(/outside 1 byte to 1Gi/),
  )
})

describe('parseSizes', () => {
  test.each([
    ['100,1K,10K', [100, 1_000, 10_000]],
    [' 10K , 1K,1000', [1_000, 10_000]],
    ['1K..1M', [1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6]],
    ['1K..8K:2', [1e3, 2e3, 4e3, 8e3]],
    ['1K..1M:10', [1e3, 1e4, 1e5, 1e6]],
    ['1K..5K:2', [1e3, 2e3, 4e3, 5e3]],
    ['1K..1K', [1e3]],
    ['1Ki..4Ki:2', [1_024, 2_048, 4_096]],
    ['100,1K..4K:2', [100, 1_000, 2_000, 4_000]],
  ])('reads %s', (text, sizes) => expect(parseSizes(text)).toEqual(sizes))

  test('is ascending without repetition and holds both ends of a range', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 0, max: 1e6 }),
        fc.double({ min: 1.3, max: 100, noNaN: true }),
        (from, more, factor) => {
          for (const text of [`${from}..${from + more}`, `${from}..${from + more}:${factor}`]) {
            const sizes = parseSizes(text)
            expect([sizes[0], sizes.at(-1)]).toEqual([from, from + more])
            expect(sizes.every((size, i) => i === 0 || size > sizes[i - 1]!)).toBe(true)
            expect(sizes.length).toBeLessThanOrEqual(maxSizes)
          }
        },
      ),
    )
  })

  test.each([
    ['1M..1K', /the range 1M..1K is empty/],
    ['', /'' is not a size/],
    ['1K,,2K', /'' is not a size/],
    ['1K..', /is not a range/],
    ['..1K', /is not a range/],
    ['1K..1M:1', /factor of 1K..1M:1 must be a number above 1/],
    ['1K..1M:x', /must be a number above 1/],
    ['1..1G:1.01', /more than 100 sizes/],
    [Array.from({ length: 101 }, (_, i) => i + 1).join(), /101 sizes are too many/],
  ])('refuses %s', (text, message) => {
    expect(() => parseSizes(text)).toThrow(message)
    expect(() => parseSizes(text)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })
})

test('formatSize writes sizes for people, and none like another', () => {
  expect(
    [1, 999, 1_000, 1_024, 65_536, 1e6, 2 ** 20, 1_234_567, 1e9, 1_001, 1_002, 99_999].map(formatSize),
  ).toEqual([
    '1 B',
    '999 B',
    '1 KB',
    '1 KiB',
    '64 KiB',
    '1 MB',
    '1 MiB',
    '1.234567 MB',
    '1 GB',
    '1.001 KB',
    '1.002 KB',
    '99.999 KB',
  ])
})

test('every size with one decimal is read exactly', () => {
  for (let tenths = 1; tenths < 1_000; tenths++) {
    const text = `${Math.floor(tenths / 10)}.${tenths % 10}`
    expect([parseSize(`${text}K`), parseSize(`${text}M`)]).toEqual([tenths * 100, tenths * 100_000])
  }
  expect([parseSize('1.001M'), parseSize('4.10KB'), parseSize('0.5Ki')]).toEqual([1_001_000, 4_100, 512])
  expect(() => parseSize('4.1')).toThrow('is not a size')
  expect(() => parseSize('4.1Ki')).toThrow('is not a size')
})

test('aboutSize rounds what nobody chose', () => {
  expect([999, 1_001, 1_234_567].map(aboutSize)).toEqual(['999 B', '1 KB', '1.23 MB'])
})
