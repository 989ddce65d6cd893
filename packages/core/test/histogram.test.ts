import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Histogram } from '../src/histogram/histogram.ts'

const within = (found: number, expected: number, relative = 0.0005): void => {
  expect(Math.abs(found - expected) / expected).toBeLessThanOrEqual(relative)
}

describe('Histogram', () => {
  test('reports a ramp of 1 to 1,000,000 within its stated error of 0.05 %', () => {
    const ramp = new Histogram()
    for (let value = 1; value <= 1_000_000; value++) ramp.record(value)
    expect(ramp.mean).toBe(500_000.5)
    within(ramp.deviation, 288_675.14)
    for (const percent of [50, 75, 90, 95, 99, 99.9, 99.99])
      within(ramp.percentile(percent), percent * 10_000)
    expect(ramp.percentile(100)).toBe(1_000_000)
    expect(ramp.percentile(0)).toBe(1)
    expect(ramp.max).toBe(1_000_000)
    expect(ramp.min).toBe(1)
  })

  test('counts small values exactly and merges halves into the whole', () => {
    const odd = new Histogram()
    const even = new Histogram()
    for (let value = 1; value <= 1_000; value++) (value % 2 === 1 ? odd : even).record(value)
    odd.merge(even)
    expect(odd.count).toBe(1_000)
    expect(odd.mean).toBe(500.5)
    expect([50, 90, 99, 100].map((percent) => odd.percentile(percent))).toEqual([500, 900, 990, 1_000])
  })

  test('shows a stall only when the omitted operations are added', () => {
    const raw = new Histogram()
    const corrected = new Histogram()
    const ms = 1_000 // counted in microseconds
    for (let i = 0; i < 10_000; i++) {
      raw.record(ms)
      corrected.recordCorrected(ms, 10 * ms)
    }
    raw.record(100_000 * ms)
    corrected.recordCorrected(100_000 * ms, 10 * ms)
    expect(raw.percentile(99.99)).toBe(ms)
    expect(corrected.count).toBe(20_000)
    within(corrected.mean, 25_003 * ms, 1e-3)
    expect(corrected.percentile(50)).toBe(ms)
    within(corrected.percentile(75), 50_000 * ms, 1e-3)
    within(corrected.percentile(90), 80_020 * ms, 1e-3)
    within(corrected.percentile(99), 98_040 * ms, 1e-3)
    expect(corrected.percentile(100)).toBe(100_000 * ms)
  })

  test('never reports a percentile above the maximum or below the minimum', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e13, noNaN: true }), { minLength: 1 }), (values) => {
        const histogram = new Histogram()
        for (const value of values) histogram.record(value)
        for (const percent of [0, 50, 99, 99.99, 100]) {
          expect(histogram.percentile(percent)).toBeLessThanOrEqual(Math.max(...values))
          expect(histogram.percentile(percent)).toBeGreaterThanOrEqual(Math.min(...values))
        }
      }),
    )
  })

  test('reports every percentile within its stated error of the exact nearest rank', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 ** 42 - 1 }), { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.integer({ min: 3, max: 12 }),
        (values, percent, precisionBits) => {
          const histogram = new Histogram({ precisionBits })
          for (const value of values) histogram.record(value)
          const rank = Math.max(1, Math.ceil((values.length * percent) / 100 - 1e-9))
          const exact = values.toSorted((a, b) => a - b)[rank - 1]!
          expect(Math.abs(histogram.percentile(percent) - exact)).toBeLessThanOrEqual(
            exact * 2 ** -(precisionBits + 1),
          )
        },
      ),
    )
  })

  test('takes what is out of range without throwing, and tells', () => {
    const histogram = new Histogram()
    for (const value of [Number.NaN, -5, 0, 1e15]) histogram.record(value)
    expect(histogram.count).toBe(4)
    expect(histogram.overflows).toBe(1)
    expect(histogram.min).toBe(0)
    expect(histogram.max).toBe(1e15)
    expect(histogram.percentile(100)).toBe(1e15)
  })

  test('travels to another thread and back without loss', () => {
    const histogram = new Histogram({ precisionBits: 6 })
    for (let value = 0; value < 5_000; value += 7) histogram.record(value)
    const copy = Histogram.from(structuredClone(histogram.data()))
    expect(copy.data()).toEqual(histogram.data())
    copy.record(1)
    expect(copy.count).toBe(histogram.count + 1)
  })

  test('counts on past 2^32 values in one bucket', () => {
    const full = new Histogram()
    full.record(1)
    const data = full.data()
    data.counts[1] = 2 ** 32 - 1
    const histogram = Histogram.from({ ...data, count: 2 ** 32 - 1 })
    histogram.record(1)
    histogram.record(5)
    expect(histogram.count).toBe(2 ** 32 + 1)
    expect(histogram.percentile(99)).toBe(1)
    expect(histogram.data().counts[1]).toBe(2 ** 32)
  })

  test('refuses options that make no sense, foreign merges and percentiles outside 0 to 100', () => {
    expect(() => new Histogram({ precisionBits: 0 })).toThrow(RangeError)
    expect(() => new Histogram({ highest: 2 ** 54 })).toThrow(RangeError)
    expect(() => new Histogram().merge(new Histogram({ precisionBits: 6 }))).toThrow(RangeError)
    expect(() => new Histogram().percentile(101)).toThrow(RangeError)
    expect(new Histogram().percentile(50)).toBeNaN()
  })
})
