import { describe, expect, test } from 'vitest'
import { uslFit } from '../src/statistics/usl/usl-fit.ts'
import { type UslParameters, uslThroughput } from '../src/statistics/usl/usl-law.ts'

const sweep = [1, 2, 5, 10, 25, 50, 100, 200, 500, 1_000]
const curve = (parameters: UslParameters, ns = sweep) =>
  ns.map((n) => ({ n, x: uslThroughput(parameters, n) }))
const points = (...xs: number[]) => xs.map((x, i) => ({ n: sweep[i] as number, x }))

/** Within 0.5 %. */
const near = (found: number | null, expected: number): void => {
  expect(Math.abs((found ?? Number.NaN) / expected - 1)).toBeLessThanOrEqual(0.005)
}

describe('uslFit', () => {
  test('gives the published fit of the SPEC SDM91 data, with its errors', () => {
    const ns = [1, 18, 36, 72, 108, 144, 216]
    const xs = [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775, 1702.2]
    const fit = uslFit(ns.map((n, i) => ({ n, x: xs[i] as number })))
    expect(fit.alpha).toBeCloseTo(0.0277284, 6)
    expect(fit.beta).toBeCloseTo(0.000104366, 8)
    near(fit.gamma, 89.9952)
    near(fit.standardErrors.alpha, 0.0091)
    near(fit.standardErrors.beta, 0.0000199)
    near(fit.residualDeviation, 82.8)
    expect(fit.degreesOfFreedom).toBe(4)
    expect(fit.rSquared).toBeGreaterThan(0.98)
    near(fit.peakN, 96.52)
    near(fit.peakX, 1884)
    near(fit.limit, 3246)
    near(fit.optimumN, 36.06)
    near(fit.optimumX, 1542)
    expect(fit).toMatchObject({ isExtrapolated: false, shape: 'falling' })
  })

  test('recovers the parameters of exact data', () => {
    const exact = { alpha: 0.02, beta: 0.0005, gamma: 1_000 }
    const expected = [
      1000, 1958.864, 4587.156, 8163.265, 14044.944, 15600.624, 12610.34, 8038.585, 3683.784, 1921.303,
    ]
    for (const [i, { x }] of curve(exact).entries()) expect(x).toBeCloseTo(expected[i] as number, 3)
    const fit = uslFit(curve(exact))
    for (const name of ['alpha', 'beta', 'gamma'] as const) expect(fit[name] / exact[name]).toBeCloseTo(1, 6)
    expect(fit.peakN).toBeCloseTo(44.272, 3)
    expect(fit.peakX).toBeCloseTo(15_680.89, 2)
    expect(fit.rSquared).toBeCloseTo(1, 12)
  })

  test('recovers them over many magnitudes', () => {
    for (const gamma of [0.01, 1e6])
      for (const alpha of [0.001, 0.3, 0.9])
        for (const beta of [1e-7, 1e-3, 0.1]) {
          const fit = uslFit(curve({ alpha, beta, gamma }))
          expect(fit.gamma / gamma).toBeCloseTo(1, 6)
          expect(fit.alpha / alpha).toBeCloseTo(1, 6)
          expect(fit.beta / beta).toBeCloseTo(1, 5)
        }
  })

  test('is Amdahl’s law without coherence costs, and a straight line without contention', () => {
    const amdahl = uslFit(
      curve({ alpha: 0.1, beta: 0, gamma: 50 }).map(({ n, x }) => ({ n, x: x * (1 + 1e-4 * n) })),
    )
    expect(amdahl).toMatchObject({
      beta: 0,
      peakN: null,
      peakX: null,
      isExtrapolated: true,
      degreesOfFreedom: 8,
    })
    expect(amdahl.standardErrors.beta).toBeNull()
    expect(amdahl.limit).toBeGreaterThan(400)
    const superlinear = uslFit(sweep.map((n) => ({ n, x: n ** 1.1 })))
    expect(superlinear).toMatchObject({ alpha: 0, beta: 0, limit: null, optimumN: null, degreesOfFreedom: 9 })
  })

  test('keeps contention and coherence from 0 to 1, whatever the points', () => {
    for (const xs of [
      [1_000, 100, 10, 1],
      [1_000, 400, 90, 20, 4],
      [5, 9, 4, 1, 7],
    ]) {
      const { alpha, beta } = uslFit(points(...xs))
      for (const value of [alpha, beta]) expect(value >= 0 && value <= 1).toBe(true)
    }
  })

  test('says when the peak lies beyond the points, and has no errors of three points', () => {
    const fit = uslFit(curve({ alpha: 0.02, beta: 0.0005, gamma: 1_000 }, [1, 10, 25]))
    expect(fit.isExtrapolated).toBe(true)
    expect(fit.standardErrors).toEqual({ alpha: null, beta: null, gamma: null })
    expect(fit.residualDeviation).toBeNull()
  })

  test('refuses what no curve can be drawn through', () => {
    expect(() =>
      uslFit([
        { n: 1, x: 5 },
        { n: 1, x: 6 },
        { n: 2, x: 7 },
      ]),
    ).toThrow('three different numbers')
    expect(() =>
      uslFit([
        { n: 0, x: 5 },
        { n: 1, x: 6 },
        { n: 2, x: 7 },
      ]),
    ).toThrow('one caller or more, got 0')
    expect(() => uslFit(points(1, Number.NaN, 2))).toThrow(RangeError)
    expect(() => uslFit(points(0, 0, 0))).toThrow(RangeError)
  })
})
