import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Histogram } from '../src/histogram.ts'

test('quantiles are off by at most 1/128 of the value, whatever the values', () => {
  const values = fc.array(
    fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1), fc.integer({ min: 2 ** 31, max: 2 ** 42 - 1 })),
    { minLength: 1 },
  )
  const shares = fc.constantFrom(0, 0.1, 0.5, 0.9, 0.99, 1)
  fc.assert(
    fc.property(values, shares, (recorded, share) => {
      const histogram = new Histogram()
      for (const value of recorded) histogram.record(value)
      const sorted = recorded.toSorted((a, b) => a - b)
      const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] as number
      expect(Math.abs(histogram.quantile(share) - exact)).toBeLessThanOrEqual(exact / 128)
      expect(histogram.count).toBe(recorded.length)
      expect(histogram.min).toBe(sorted[0])
      expect(histogram.max).toBe(sorted.at(-1))
      expect(histogram.sum).toBe(recorded.reduce((sum, value) => sum + value, 0))
    }),
  )
})

test('what is no number of nanoseconds does no harm', () => {
  const histogram = new Histogram()
  for (const value of [Number.NaN, -1, Number.POSITIVE_INFINITY, 2 ** 60]) histogram.record(value)
  expect(histogram.count).toBe(4)
  expect(histogram.quantile(0.5)).toBe(0)
})

test('an empty histogram says 0', () => {
  expect(new Histogram().quantile(0.5)).toBe(0)
})
