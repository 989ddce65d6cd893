import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placesOf } from '../src/batches/key-places.ts'

const anyKey = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  // The same last characters, so the same hash.
  fc.string({ maxLength: 6 }).map((start) => `${start}:the same sixteen`),
)

const rowOf = (key: string) => ({ k: Buffer.from(key) })

test('rows are for the keys that have their bytes, in any order, some of them missing', () => {
  const property = fc.property(
    fc.uniqueArray(anyKey, { maxLength: 60, comparator: (a, b) => Buffer.from(a).equals(Buffer.from(b)) }),
    fc.array(fc.nat()),
    (keys, picks) => {
      const asked = keys.filter((_, i) => i % 3 > 0)
      const shuffled = picks.map((pick) => keys[pick % Math.max(1, keys.length)] ?? 'none').concat(keys)
      const expected = shuffled.map((key) => {
        const place = asked.findIndex((one) => Buffer.from(one).equals(Buffer.from(key)))
        return place < 0 ? undefined : place
      })
      expect(placesOf(asked, shuffled.map(rowOf))).toEqual(expected)
    },
  )
  fc.assert(property, { numRuns: 1_000 })
})

test('a batch with a key that is not ASCII leaves nothing behind for the next one', () => {
  expect(placesOf(['a', 'é'], [rowOf('é'), rowOf('a')])).toEqual([1, 0])
  expect(placesOf(['b'], [rowOf('a'), rowOf('b')])).toEqual([undefined, 0])
})

test('a search that fails leaves nothing behind for the next one', () => {
  expect(() => placesOf(['a', 'b'], [{ k: undefined as never }])).toThrow(TypeError)
  expect(placesOf(['c'], [rowOf('b')])).toEqual([undefined])
})
