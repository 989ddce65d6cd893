import { describe, expect, test } from 'vitest'
import { fastRandom } from '../src/random/random.ts'
import { summarise } from '../src/statistics/summary.ts'
import { uslFit } from '../src/statistics/usl/usl-fit.ts'
import { uslThroughput } from '../src/statistics/usl/usl-law.ts'
import type { CurvePoint } from '../src/studies/sweep/config.ts'
import { type Law, lawOf } from '../src/studies/sweep/law.ts'

const callers = [1, 2, 5, 10, 25, 50, 100, 200, 500, 1_000]
const runs = 3
const draws = 60

interface Told {
  readonly law: Law | null
  readonly alpha: number
  /** The highest mean of a point. */
  readonly most: number
}

/** Measure a curve many times, with noise of 5 % of each run, and see what is told. */
function told(truth: (n: number) => number, noise = 0.05): readonly Told[] {
  const random = fastRandom(5)
  const gauss = (): number =>
    Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  return Array.from({ length: draws }, () => {
    const points = callers.map((value) => {
      const rates = Array.from({ length: runs }, () => truth(value) * (1 + noise * gauss()))
      const { mean, halfWidth } = summarise(rates)
      return { value, rate: { runs: rates, mean, halfWidth } } as unknown as CurvePoint
    })
    const fit = uslFit(points.flatMap(({ value, rate }) => rate.runs.map((x) => ({ n: value, x }))))
    const most = Math.max(...points.map(({ rate }) => rate.mean))
    return { law: lawOf({ points, fit }), alpha: fit.alpha, most }
  })
}

const isPeak = ({ law }: Told): boolean => law?.tells === 'peak'

describe('the law of scalability', () => {
  test.each([
    ['flat', () => 1_000],
    ['flat, one caller 20 % faster', (n: number) => (n === 1 ? 1_200 : 1_000)],
    ['linear', (n: number) => 1_000 * n],
    ['a limit without a peak', (n: number) => uslThroughput({ alpha: 0.02, beta: 0, gamma: 1_000 }, n)],
  ])('tells no peak where there is none: %s', (_name, truth) => {
    const found = told(truth)
    expect(found.filter(isPeak).length).toBeLessThanOrEqual(draws * 0.05)
    for (const { alpha } of found) expect(alpha).toBeLessThanOrEqual(1)
  })

  test('finds a peak with an interval around it, never below the most that was measured', () => {
    const parameters = { alpha: 0.05, beta: 5e-4, gamma: 1_000 }
    const peak = Math.sqrt((1 - parameters.alpha) / parameters.beta)
    const found = told((n) => uslThroughput(parameters, n))
    const peaks = found.flatMap(({ law, most }) => (law?.tells === 'peak' ? [{ ...law, most }] : []))
    expect(peaks.length).toBeGreaterThanOrEqual(draws * 0.9)
    const holding = peaks.filter(
      ({ between }) => between !== undefined && between[0] <= peak && peak <= between[1],
    )
    expect(holding.length).toBeGreaterThanOrEqual(peaks.length * 0.85)
    for (const { x, most } of peaks) expect(x).toBeGreaterThanOrEqual(most)
  })
})
