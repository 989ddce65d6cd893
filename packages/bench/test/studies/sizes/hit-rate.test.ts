import { describe, expect, test } from 'vitest'
import {
  breakEvenHitRate,
  fullLatency,
  mixFor,
  paperLatency,
  parseHitRates,
  readsFor,
} from '../../../src/studies/sizes/hit-rate.ts'

const costs = { hitMs: 0.8, storeMs: 12, missMs: 12 + 0.3 + 0.9 }

test('paperLatency mixes a hit and the plain store', () => {
  const rates = [0, 0.25, 0.5, 0.75, 1]
  const expected = [12, 9.2, 6.4, 3.6, 0.8]
  rates.forEach((rate, i) => expect(paperLatency(rate, costs)).toBeCloseTo(expected[i]!, 12))
})

test('fullLatency counts asking the cache and filling it on a miss', () => {
  const rates = [0, 0.25, 0.5, 0.75, 1]
  const expected = [13.2, 10.1, 7, 3.9, 0.8]
  rates.forEach((rate, i) => expect(fullLatency(rate, costs)).toBeCloseTo(expected[i]!, 12))
})

describe('breakEvenHitRate', () => {
  test('is where the full-cost model equals the store', () => {
    const rate = breakEvenHitRate(costs)
    expect(rate).toBeCloseTo(1.2 / 12.4, 12)
    expect(fullLatency(rate, costs)).toBeCloseTo(12, 12)
  })

  test('is 0 if a miss costs nothing extra and Infinity if a hit is no faster than the store', () => {
    expect(breakEvenHitRate({ hitMs: 1, storeMs: 5, missMs: 5 })).toBe(0)
    expect(breakEvenHitRate({ hitMs: 6, storeMs: 5, missMs: 7 })).toBe(Infinity)
  })
})

describe('parseHitRates', () => {
  test('reads per cent into shares', () => {
    expect(parseHitRates('0,25, 50,75,100')).toEqual([0, 0.25, 0.5, 0.75, 1])
    expect(parseHitRates('90%,10,10')).toEqual([0.1, 0.9])
  })

  test.each(['', '101', '-1', 'x', '50,', 'NaN'])('refuses %j', (text) =>
    expect(() => parseHitRates(text)).toThrow(/^Hit rates: '.*' is not from 0 to 100 per cent\.$/),
  )
})

test('readsFor finds a number of reads that the rate divides', () => {
  expect(readsFor(0.25, 20)).toBe(20)
  expect(readsFor(0.33, 20)).toBe(100)
  expect(readsFor(0.5, 1)).toBe(2)
  expect(readsFor(0, 20)).toBe(20)
  expect(readsFor(1, 20)).toBe(20)
  expect(readsFor(0.125, 20)).toBe(24)
})

describe('mixFor', () => {
  test('is exact where the reads suffice', () => {
    expect(mixFor(0.25, 4, 4)).toEqual({ reads: 4, hits: 1 })
    expect(mixFor(0.33, 40, 1_000)).toEqual({ reads: 100, hits: 33 })
  })

  test('never takes more reads than allowed, and comes as near as they can', () => {
    expect(mixFor(0.3333, 4, 4)).toEqual({ reads: 3, hits: 1 })
    expect(mixFor(0.33, 20, 20)).toEqual({ reads: 18, hits: 6 })
    for (let rate = 0; rate <= 1; rate += 0.0301) {
      const { reads, hits } = mixFor(rate, 40, 60)
      expect(reads).toBeLessThanOrEqual(60)
      expect(Math.abs(hits / reads - rate)).toBeLessThan(0.01)
    }
  })
})
