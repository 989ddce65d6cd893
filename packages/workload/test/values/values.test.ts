import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { values } from '../../src/values/values.ts'

const made = values({ seed: 42, largestBytes: 10_000 })

test('the same seed, key, length and turn give the same bytes; anything else gives others', () => {
  const again = values({ seed: 42, largestBytes: 10_000 })
  const key = fc.maxSafeNat()
  fc.assert(
    fc.property(key, fc.integer({ min: 16, max: 10_000 }), fc.nat(), (number, length, turn) => {
      const value = made.bytes(number, length, turn)
      expect(value.length).toBe(length)
      expect(again.bytes(number, length, turn)).toEqual(value)
      expect(made.bytes(number, length, turn + 1)).not.toEqual(value)
      expect(made.bytes(number + 1, length, turn)).not.toEqual(value)
      expect(values({ seed: 43, largestBytes: 10_000 }).bytes(number, length, turn)).not.toEqual(value)
    }),
    { numRuns: 20 },
  )
})

test('matches knows the values of a key at every turn, and no others', () => {
  for (const length of [1, 16, 1_000]) {
    for (let turn = 0; turn < 200; turn += 7) expect(made.matches(9, made.bytes(9, length, turn))).toBe(true)
  }
  let wrong = 0
  for (let number = 10; number < 1_010; number++)
    if (made.matches(9, made.bytes(number, 100, number))) wrong += 1
  expect(wrong).toBeLessThanOrEqual(1)
  const damaged = made.bytes(9, 1_000).slice()
  damaged[999]! ^= 1
  expect(made.matches(9, damaged)).toBe(false)
})

test.each([0, 0.3, 0.5, 0.9])('gzip saves about a share of %s', (compressibility) => {
  const some = values({ seed: 1, largestBytes: 100_000, compressibility })
  const saved = 1 - gzipSync(some.bytes(5, 100_000)).length / 100_000
  expect(Math.abs(saved - compressibility)).toBeLessThan(0.05)
  expect(some.description).toBe(`synthetic, compressibility ${compressibility}`)
})

test('a compressibility of 1 repeats one byte, and others are refused', () => {
  expect(new Set(values({ seed: 1, largestBytes: 100, compressibility: 1 }).bytes(3, 100)).size).toBe(1)
  expect(() => values({ seed: 1, largestBytes: 1, compressibility: 1.1 })).toThrow('from 0 to 1')
})
