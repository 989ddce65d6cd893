import { describe, expect, test } from 'vitest'
import { areDistinct } from '../src/batches/distinct.ts'

describe('areDistinct', () => {
  test('says what a Set says, however many keys there are, and however alike', () => {
    let state = 7
    const below = (limit: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return (state >>> 8) % limit
    }
    const keyOf = [
      (n: number) => `user:${n}`,
      (n: number) => `${n}:the same last sixteen characters`,
      (n: number) => String.fromCharCode(n % 0xd800),
      (n: number) => 'é'.repeat(n % 40),
    ]
    let twice = 0
    for (let round = 0; round < 2_000; round++) {
      const count = below(round % 50 === 0 ? 3_000 : 40)
      const of = keyOf[round % keyOf.length] as (n: number) => string
      const keys = Array.from({ length: count }, () => of(below(2_000)))
      const expected = new Set(keys).size === keys.length
      expect(areDistinct(keys)).toBe(expected)
      if (!expected) twice++
    }
    expect(twice).toBeGreaterThan(200)
    expect(twice).toBeLessThan(1_800)
  })

  test('finds a key named twice wherever it stands, and forgets the batch before', () => {
    const keys = Array.from({ length: 32 }, (_, i) => `key ${i}`)
    for (let i = 0; i < keys.length; i++) {
      expect(areDistinct(keys)).toBe(true)
      expect(areDistinct([...keys, keys[i] as string])).toBe(false)
      expect(areDistinct([keys[i] as string, ...keys])).toBe(false)
    }
    expect(areDistinct([])).toBe(true)
  })
})
