import { describe, expect, test } from 'vitest'
import { logGamma, studentTCumulative, studentTQuantile } from '../src/statistics/distributions.ts'
import { logLogSlope, shareInterval, summarise } from '../src/statistics/summary.ts'

test('logGamma agrees with factorials and with Γ(1/2) = √π', () => {
  expect(Math.exp(logGamma(5))).toBeCloseTo(24, 10)
  expect(Math.exp(logGamma(0.5))).toBeCloseTo(Math.sqrt(Math.PI), 12)
  expect(logGamma(171)).toBeCloseTo(706.5730622457875, 9)
})

describe('studentTQuantile', () => {
  test('has the tabulated 97.5 % points', () => {
    expect(studentTQuantile(0.975, 1)).toBeCloseTo(12.706205, 6)
    expect(studentTQuantile(0.975, 2)).toBeCloseTo(4.302653, 6)
    expect(studentTQuantile(0.975, 3)).toBeCloseTo(3.182446, 6)
    expect(studentTQuantile(0.975, 9)).toBeCloseTo(2.262157, 6)
    expect(studentTQuantile(0.975, 1e6)).toBeCloseTo(1.959966, 5)
  })

  test('is symmetric, and the inverse of the cumulative distribution', () => {
    expect(studentTQuantile(0.025, 9)).toBeCloseTo(-2.262157, 6)
    expect(studentTCumulative(studentTQuantile(0.8, 5), 5)).toBeCloseTo(0.8, 12)
    expect(2 * studentTCumulative(-8.231932, 18)).toBeCloseTo(1.62741e-7, 11)
  })

  test('refuses impossible arguments', () => {
    expect(() => studentTQuantile(1, 3)).toThrow(RangeError)
    expect(() => studentTQuantile(0.5, 0)).toThrow(RangeError)
  })
})

describe('summarise', () => {
  test('gives the published confidence intervals', () => {
    const ten = summarise([10.1, 9.8, 10.4, 10, 9.9, 10.2, 10.3, 9.7, 10, 10.1])
    expect(ten.mean).toBeCloseTo(10.05, 12)
    expect(ten.halfWidth).toBeCloseTo(0.15545, 5)
    expect(summarise([1, 2, 3, 4]).halfWidth).toBeCloseTo(2.05426, 5)
  })

  test('keeps every run, and claims no deviation for a single one', () => {
    expect(summarise([5])).toEqual({ runs: [5], mean: 5, deviation: null, halfWidth: null })
    expect(summarise([1, 2]).runs).toEqual([1, 2])
    expect(() => summarise([])).toThrow(RangeError)
  })
})

describe('logLogSlope', () => {
  test('is the exponent of a power law, and 0 for a flat line', () => {
    expect(logLogSlope([100, 1_000, 10_000].map((x) => [x, 3 * x ** 0.7]))).toBeCloseTo(0.7, 12)
    expect(
      logLogSlope([
        [1, 4],
        [1e6, 4],
      ]),
    ).toBe(0)
    expect(logLogSlope([[1, 4]])).toBeNaN()
  })
})

test.each([
  // Wilson's interval by another program
  [10, 100, 0.05522914, 0.1743657],
  [1, 300, 0.00058866, 0.01863669],
  [0, 300, 0, 0.01],
  [300, 300, 0.99, 1],
  [0, 2, 0, 1],
])('a share of %i in %i lies between %d and %d', (found, of, low, high) => {
  const interval = shareInterval(found, of)
  expect(interval.share).toBe(found / of)
  expect(interval.low).toBeCloseTo(low, 4)
  expect(interval.high).toBeCloseTo(high, 4)
})

test('a share of nothing is refused', () => {
  expect(() => shareInterval(0, 0)).toThrow('A share needs a count within its total, got 0 of 0.')
})
