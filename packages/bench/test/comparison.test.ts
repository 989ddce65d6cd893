import { describe, expect, test } from 'vitest'
import { fastRandom, type Random, subSeed } from '../src/random/random.ts'
import { type ComparisonOptions, compared } from '../src/statistics/compare/comparison.ts'
import { bootstrapRatio, mannWhitneyTest } from '../src/statistics/compare/resampling.ts'
import { pairedTest, welchTest } from '../src/statistics/compare/t-tests.ts'
import { normalQuantile, normalTail } from '../src/statistics/distributions.ts'

const a = [10.1, 9.8, 10.4, 10, 9.9, 10.2, 10.3, 9.7, 10, 10.1]
const b = [10.9, 10.6, 11.2, 10.8, 10.7, 11, 11.1, 10.5, 10.8, 10.9]

test('normalTail has the tabulated values in the middle and far out', () => {
  const tabulated = [
    [0, 0.5],
    [1, 0.158655253931457],
    [1.959963984540054, 0.025],
    [2.999, 0.0013543365337271066],
    [3.001, 0.0013454728250849683],
    [6, 9.865876450376946e-10],
    [10, 7.619853024160527e-24],
  ] as const
  for (const [z, expected] of tabulated) {
    expect(normalTail(z) / expected).toBeCloseTo(1, 11)
    expect(normalTail(-z)).toBeCloseTo(1 - expected, 14)
  }
})

test('normalQuantile is the inverse of normalTail', () => {
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 12)
  expect(normalQuantile(0.025)).toBeCloseTo(-1.959963984540054, 12)
  expect(normalQuantile(0.5)).toBeCloseTo(0, 12)
  expect(() => normalQuantile(1)).toThrow(RangeError)
})

describe('welchTest', () => {
  test('gives the published values', () => {
    const { difference, t, degreesOfFreedom, p, interval } = welchTest(a, b)
    expect(difference).toBeCloseTo(-0.8, 12)
    expect(t).toBeCloseTo(-8.231932, 6)
    expect(degreesOfFreedom).toBeCloseTo(18, 9)
    expect(p).toBeCloseTo(1.62741e-7, 11)
    expect(interval[0]).toBeCloseTo(-1.00417, 5)
    expect(interval[1]).toBeCloseTo(-0.59583, 5)
  })

  test('has fewer degrees of freedom where the variances differ', () => {
    // t = −4 / √(1/4 + 100/3); df by hand
    const { t, degreesOfFreedom } = welchTest([1, 2, 3, 2, 2], [-4, 6, 16])
    expect(t).toBeCloseTo(-4 / Math.sqrt(0.5 / 5 + 100 / 3), 12)
    expect(degreesOfFreedom).toBeCloseTo((0.1 + 100 / 3) ** 2 / (0.01 / 4 + (100 / 3) ** 2 / 2), 12)
  })

  test('decides without doubt where nothing varies', () => {
    expect(welchTest([1, 1], [1, 1])).toMatchObject({ t: 0, p: 1, interval: [0, 0] })
    expect(welchTest([1, 1], [2, 2])).toMatchObject({ t: -Infinity, p: 0, interval: [-1, -1] })
    expect(() => welchTest([1], [2, 3])).toThrow(RangeError)
  })
})

describe('pairedTest', () => {
  test('is the t test of the logarithms of the ratios', () => {
    const base = [3, 50, 700]
    const { ratio, t, degreesOfFreedom, p, interval } = pairedTest(
      base,
      base.map((run, index) => run * Math.exp(0.04 + 0.01 * index)),
    )
    expect(Math.log(ratio)).toBeCloseTo(0.05, 12)
    expect(t).toBeCloseTo(0.05 / (0.01 / Math.sqrt(3)), 9)
    expect(degreesOfFreedom).toBe(2)
    // With two degrees of freedom p is 1 - t / sqrt(2 + t²).
    expect(p).toBeCloseTo(1 - Math.sqrt(75 / 77), 9)
    expect(interval.map(Math.log)).toEqual(
      [0.05, 0.05].map((mean, end) =>
        expect.closeTo(mean + (end * 2 - 1) * 4.302652729911 * (0.01 / Math.sqrt(3)), 9),
      ),
    )
    expect(() => pairedTest([1, 2], [1])).toThrow(RangeError)
    expect(() => pairedTest([1], [1])).toThrow(RangeError)
  })

  test('finds 5 % in runs in turn on a machine that becomes slower, where means of runs cannot', () => {
    const drift = [100, 90, 75, 70, 50, 45, 44, 43, 41, 40]
    const noise = [1, 0.99, 1.01, 1, 1.01, 0.99, 1, 1.01, 0.99, 1]
    const slower = drift.map((rate, index) => rate * 0.95 * (noise[index] as number))
    expect(compared(drift, slower, { better: 'higher' }).verdict).toBe('unclear')
    const found = compared(drift, slower, { better: 'higher', inTurn: true })
    expect(found.verdict).toBe('slower')
    expect(found.ratio).toBeCloseTo(0.95, 2)
    expect(compared(drift, drift, { better: 'higher', inTurn: true })).toMatchObject({
      verdict: 'no-difference',
      paired: { t: 0, p: 1, interval: [1, 1] },
    })
  })
})

describe('mannWhitneyTest', () => {
  test('gives the published values, corrected for ties and continuity', () => {
    const { u, p } = mannWhitneyTest(a, b)
    expect(u).toBe(0)
    expect(p).toBeCloseTo(0.000178614, 9)
    expect(mannWhitneyTest(b, a)).toEqual({ u: 100, p })
  })

  test('counts equal pairs half, and finds nothing where all are equal', () => {
    expect(mannWhitneyTest([1, 2, 3], [2]).u).toBe(1.5)
    expect(mannWhitneyTest([5, 5], [5, 5, 5])).toEqual({ u: 3, p: 1 })
    expect(mannWhitneyTest([1, 2, 3], [4, 5, 6]).p).toBeGreaterThan(0.05)
    expect(() => mannWhitneyTest([], [1])).toThrow(RangeError)
  })
})

describe('bootstrapRatio', () => {
  test('is the same for the same seed, and agrees with the interval by Student’s t', () => {
    const [low, high] = bootstrapRatio(a, b, 7)
    expect(bootstrapRatio(a, b, 7)).toEqual([low, high])
    expect(low).toBeCloseTo(1 + 0.59583 / 10.05, 2)
    expect(high).toBeCloseTo(1 + 1.00417 / 10.05, 2)
  })

  test('holds the true ratio of three runs about as often as it says', () => {
    const held = seeds('bootstrap').filter((seed) => {
      const random = fastRandom(seed)
      const [low, high] = bootstrapRatio(lognormal(random, 3, 1, 0.1), lognormal(random, 3, 2, 0.1), seed)
      return low <= 2 && high >= 2
    })
    expect(held.length).toBeGreaterThanOrEqual(92)
  })
})

describe('compared', () => {
  test('names the direction by what is better, and says it in a sentence', () => {
    const slower = compared(a, b, { better: 'lower', names: ['redis', 'file'] })
    expect(slower).toMatchObject({ verdict: 'slower', runs: [10, 10], minEffect: 0.03 })
    expect(slower.ratio).toBeCloseTo(10.85 / 10.05, 12)
    expect(slower.sentence).toMatch(
      /^file is slower than redis: its time is 8\.0 % higher \(95 % interval: [56]\.\d % higher to 10\.\d % higher\)\.$/,
    )
    expect(compared(b, a, { better: 'lower' }).verdict).toBe('faster')
    expect(compared(a, b, { better: 'higher' }).sentence).toMatch(
      /^b is faster than a: its rate is 8\.0 % higher/,
    )
    const thrice = b.map((value) => value * 3)
    expect(compared(b, thrice, { better: 'lower' }).sentence).toMatch(/its time is 3\.0 times as high/)
  })

  test('sees no difference below the least effect, and says when runs vary too much to tell', () => {
    expect(compared(a, b, { better: 'lower', minEffect: 0.1 })).toMatchObject({
      verdict: 'no-difference',
      sentence:
        'a and b show no difference: the time of b is 8.0 % higher, and the difference is below the 10.0 % that count.',
    })
    expect(compared([1, 2, 3], [2, 3, 4], { better: 'lower' })).toMatchObject({
      verdict: 'unclear',
      sentence: expect.stringMatching(
        /^a and b cannot be told apart: the time of b is between [\d.]+ % lower and [\d.]+ (% higher|times as high) \(95 % interval\), as their runs vary too much\.$/,
      ),
    })
    expect(compared(a, a, { better: 'lower' })).toMatchObject({
      verdict: 'no-difference',
      sentence: 'a and b show no difference: the time of b is the same, and 3.0 % or more is ruled out.',
    })
    expect(compared([2, 2, 2], [2, 2, 2], { better: 'lower', minEffect: 0 }).verdict).toBe('no-difference')
  })

  test('calls nothing different whose interval holds no difference', () => {
    const found = compared([20, 24, 81], [218, 136, 183], { better: 'higher' })
    expect(found.welch?.interval[1]).toBeLessThan(0)
    expect(found.ratioInterval?.[0]).toBeLessThan(1)
    expect(found.verdict).toBe('unclear')
  })

  test('gives no verdict with fewer than three runs of either', () => {
    expect(compared([1, 1], b, { better: 'lower' })).toMatchObject({
      verdict: 'not-enough-runs',
      sentence: 'There are too few runs to compare a (2) with b (10): each needs 3.',
      welch: null,
      mannWhitney: null,
      ratioInterval: null,
    })
  })

  test('finds at most 8 differences in 100 comparisons of equal samples', () => {
    const different = verdicts('equal', (random) => [
      lognormal(random, 10, 1, 0.2),
      lognormal(random, 10, 1, 0.2),
    ])
    expect(different).toBeLessThanOrEqual(8)
  })

  test('finds a planted 5 % with a deviation of 1 % over 10 runs in at least 90 of 100', () => {
    const different = verdicts(
      'planted',
      (random) => [lognormal(random, 10, 1, 0.01), lognormal(random, 10, 1.05, 0.01)],
      0.03,
    )
    expect(different).toBeGreaterThanOrEqual(90)
  })

  test('refuses what cannot be compared', () => {
    expect(() => compared([], b, { better: 'lower' })).toThrow('There is no run of a to compare.')
    expect(() => compared(a, [1, 0, 2], { better: 'lower' })).toThrow('got 0 of b')
    expect(() => compared(a, [1, Number.NaN, 2], { better: 'lower' })).toThrow(RangeError)
    expect(() => compared(a, b, { better: 'lower', minEffect: -1 })).toThrow(RangeError)
    expect(() => compared(a, b, {} as ComparisonOptions)).toThrow('`better` must be `lower` or `higher`')
    expect(() => compared(a, b, { better: 'lower', minEfect: 1 } as ComparisonOptions)).toThrow('`minEffect`')
  })
})

function seeds(name: string): number[] {
  return Array.from({ length: 100 }, (_, i) => subSeed(1, name, i))
}

/** How many of 100 comparisons find a difference. */
function verdicts(
  name: string,
  draw: (random: Random) => readonly [number[], number[]],
  minEffect = 0,
): number {
  const found = seeds(name).map((seed) =>
    compared(...draw(fastRandom(seed)), { better: 'lower', minEffect, seed }),
  )
  return found.filter(({ verdict }) => verdict === 'faster' || verdict === 'slower').length
}

/** Run means around a median, with a relative deviation. */
function lognormal(random: Random, runs: number, median: number, deviation: number): number[] {
  return Array.from({ length: runs }, () => {
    const normal = Math.sqrt(-2 * Math.log1p(-random.next())) * Math.cos(2 * Math.PI * random.next())
    return median * Math.exp(deviation * normal)
  })
}
