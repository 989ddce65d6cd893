import { compose, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { paddedLength } from '../src/envelope/padding.ts'
import { Sealer } from '../src/envelope/sealer.ts'
import { encryption, nameKey, type OpenOptions, open, type Padding, seal } from '../src/index.ts'
import { codeOf, keys } from './records.ts'

const at: OpenOptions = { keys, dataset: 'users', key: 'ada' }
const plainOverhead = 102

const lengthOf = (bytes: number, padding: Padding): number =>
  seal(new Uint8Array(bytes), { ...at, padding }).length - plainOverhead

const paddings: readonly Padding[] = ['padme', { toMultipleOf: 2 }, { toMultipleOf: 100 }]

describe('padding', () => {
  test('gives back the value, whatever it ends with', () => {
    for (const padding of paddings)
      for (const length of [0, 1, 2, 31, 32, 33, 99, 100, 101, 5_000, 200_000]) {
        const value = new Uint8Array(length).fill(7)
        expect(Buffer.from(value).equals(open(seal(value, { ...at, padding }), at))).toBe(true)
        value.fill(0)
        expect(Buffer.from(value).equals(open(seal(value, { ...at, padding }), at))).toBe(true)
      }
  })

  test('to a multiple makes lengths alike up to one byte below it', () => {
    const padding = { toMultipleOf: 64 }
    expect([0, 1, 63, 64, 127, 128].map((length) => lengthOf(length, padding))).toEqual([
      64, 64, 64, 128, 128, 192,
    ])
  })

  test('by Padmé leaves few lengths: 32 below 32 bytes, and at most 12 % more above', () => {
    expect([0, 5, 31].map((length) => lengthOf(length, 'padme'))).toEqual([32, 32, 32])
    expect([32, 1_000, 1_024, 10_000].map((length) => lengthOf(length, 'padme'))).toEqual([
      36, 1_024, 1_088, 10_240,
    ])
    const padded = paddedLength('padme') as (bytes: number) => number
    fc.assert(
      fc.property(fc.integer({ min: 32, max: 2 ** 31 }), (bytes) => {
        expect(padded(bytes)).toBeGreaterThan(bytes)
        expect(padded(bytes)).toBeLessThanOrEqual(Math.ceil((bytes + 1) * 1.12))
        expect(padded(bytes + 1)).toBeGreaterThanOrEqual(padded(bytes))
      }),
    )
    const lengths = new Set(Array.from({ length: 65_536 }, (_, bytes) => padded(bytes)))
    expect(lengths.size).toBeLessThan(160)
  })

  test('is taken out of what a value may have', () => {
    const inner = { ...memory(), capabilities: { ...memory().capabilities, maxValueBytes: 1_000 } }
    const most = (padding: Padding): number =>
      compose(inner, [encryption({ dataset: 'users', keys, padding })]).capabilities.maxValueBytes
    expect(most('none')).toBe(898)
    expect(most({ toMultipleOf: 100 })).toBe(799)
    expect(most('padme')).toBe(895)
    expect(seal(new Uint8Array(895), { ...at, padding: 'padme' }).length).toBeLessThanOrEqual(1_000)
    expect(seal(new Uint8Array(896), { ...at, padding: 'padme' }).length).toBeGreaterThan(1_000)
  })

  test.each([undefined, 'none'] as const)('of %s leaves flags and length as they always were', (padding) => {
    const envelope = seal(new Uint8Array(10), { ...at, padding })
    expect(envelope).toHaveLength(10 + plainOverhead)
    expect(envelope[6]).toBe(0)
  })

  test.each([
    'Padme',
    '',
    null,
    true,
    16,
    {},
    { toMultipleOf: 1 },
    { toMultipleOf: 1.5 },
    { toMultipleOf: '16' },
    { toMultipleOf: 2 ** 25 },
    { toMultipleOf: Number.NaN },
  ])('of %o is refused', (padding) => {
    expect(codeOf(() => new Sealer({ keys, dataset: 'users', padding: padding as never }))).toBe(
      'INVALID_CONFIG',
    )
  })
})

describe('padding over the border of chunks', () => {
  const chunked = { chunkAboveBytes: 5_000, chunkBytes: 1_024 }
  /** All that an observer sees of an envelope: its length, and what its header tells besides salt and commitment. */
  const shown = (bytes: number, options: object): string => {
    const envelope = seal(new Uint8Array(bytes), { ...at, ...chunked, ...options })
    return `${envelope.length} ${envelope[6]}`
  }

  test.each([
    [
      'one multiple above the border',
      { padding: { toMultipleOf: 65_536 } },
      [0, 10, 5_000, 5_001, 60_000, 65_535],
    ],
    ['one multiple below it', { padding: { toMultipleOf: 4_000 } }, [0, 1, 3_999]],
    ['the multiple that it is in', { padding: { toMultipleOf: 4_000 } }, [4_000, 4_999, 5_000, 5_001, 7_999]],
    [
      'the default border',
      { padding: { toMultipleOf: 10_000_000 }, chunkAboveBytes: undefined, chunkBytes: undefined },
      [16_777_216, 16_777_217],
    ],
    ['Padmé', { padding: 'padme' }, [4_992, 4_999, 5_000, 5_001, 5_119]],
  ])('hides on which side a value is: %s', (_, options, lengths) => {
    expect(new Set(lengths.map((bytes) => shown(bytes, options))).size).toBe(1)
  })

  test('tells nothing but the padded length, whatever the value', () => {
    for (const padding of ['padme', { toMultipleOf: 1_500 }] as const) {
      const padded = paddedLength(padding) as (bytes: number) => number
      const byLength = new Map<number, string>()
      for (let bytes = 0; bytes < 9_000; bytes += 37) {
        const seen = byLength.get(padded(bytes)) ?? shown(bytes, { padding })
        expect(shown(bytes, { padding })).toBe(seen)
        byLength.set(padded(bytes), seen)
      }
    }
  })

  test('gives back every value, and tells how long envelopes will be', () => {
    const sealer = new Sealer({ keys, dataset: 'users', padding: { toMultipleOf: 700 }, ...chunked })
    let before = 0
    for (let bytes = 4_000; bytes < 6_000; bytes += 13) {
      const value = new Uint8Array(bytes).fill(7)
      const envelope = seal(value, { ...at, padding: { toMultipleOf: 700 }, ...chunked })
      expect(Buffer.from(value).equals(open(envelope, at))).toBe(true)
      expect(envelope).toHaveLength(sealer.sealedBytes(bytes))
      expect(sealer.sealedBytes(bytes)).toBeGreaterThanOrEqual(before)
      before = sealer.sealedBytes(bytes)
    }
  })

  test('also with hashed names, whose true keys are in the content', async () => {
    const lengths = new Set<number>()
    for (const bytes of [10, 4_900, 4_960, 5_000, 5_001, 7_000]) {
      const store = memory()
      const names = nameKey(new Uint8Array(32).fill(3).map((_, i) => i))
      const layer = encryption({
        dataset: 'users',
        keys,
        names,
        padding: { toMultipleOf: 8_192 },
        ...chunked,
      })
      await keyValue(store, [layer]).set('a name', new Uint8Array(bytes))
      lengths.add(Math.max(...Array.from(store.native.values(), ({ value }) => value.length)))
    }
    expect(lengths.size).toBe(1)
  })
})
