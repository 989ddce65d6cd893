import fc from 'fast-check'
import { expect, test } from 'vitest'
import { synthetic } from '../../src/data/open-data.ts'
import { values } from '../../src/values/values.ts'

const objects = await synthetic({ seed: 1 }).objects(1_000, 500)
const made = values({ seed: 42, objects })

test('the same seed, key and turn give the same bytes, cut to their length', () => {
  const again = values({ seed: 42, objects })
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 1_000 }), fc.nat(), (number, length, turn) => {
      const value = made.bytes(number, length, turn)
      expect(value).toEqual(made.bytes(number, 1_000, turn).subarray(0, length))
      expect(again.bytes(number, length, turn)).toEqual(value)
      expect(made.matches(number, value)).toBe(true)
    }),
  )
})

test('writes of one key in a row differ, and so do other keys and seeds', () => {
  for (let turn = 0; turn < 10; turn++)
    expect(made.bytes(7, 1_000, turn)).not.toEqual(made.bytes(7, 1_000, turn + 1))
  const firsts = Array.from({ length: 10_000 }, (_, number) => made.bytes(number, 1_000))
  expect(new Set(firsts).size).toBe(500)
  const other = values({ seed: 43, objects })
  expect(firsts.filter((value, number) => value === other.bytes(number, 1_000)).length).toBeLessThan(100)
})

test('a value that is damaged, or of another key, does not match', () => {
  const damaged = made.bytes(9, 1_000).slice()
  damaged[999]! ^= 1
  expect(made.matches(9, damaged)).toBe(false)
  expect(made.matches(9, new Uint8Array(1_001))).toBe(false)
  const numbers = Array.from({ length: 10_000 }, (_, number) => 10 + number)
  const mixedUp = numbers.filter((number) => made.matches(9, made.bytes(number, 1_000, number)))
  expect(mixedUp.length / 10_000).toBeLessThan(0.02)
})

test('values need objects', () => {
  expect(() => values({ seed: 1, objects: [] })).toThrow('Values need at least one object.')
})
