import { expect, test } from 'vitest'
import { fastRandom } from '../../../src/random/random.ts'
import { uslFit } from '../../../src/statistics/usl/usl-fit.ts'
import { uslThroughput } from '../../../src/statistics/usl/usl-law.ts'
import { shapesOf } from '../../../src/studies/evaluation/curves.ts'
import type { Shape } from '../../../src/studies/evaluation/result.ts'
import type { Curve } from '../../../src/studies/sweep/config.ts'

const callers = [1, 2, 5, 10, 25, 50, 100, 200, 500, 1_000]

/** A curve of several runs, whose throughput is so but for this scatter. */
function curveBy(
  throughput: (n: number) => number,
  {
    runs = 1,
    scatter = () => 1,
    at = callers,
  }: { runs?: number; scatter?: () => number; at?: readonly number[] } = {},
): Curve {
  const points = at.map((n) => ({ n, xs: Array.from({ length: runs }, () => throughput(n) * scatter()) }))
  return {
    store: 'here',
    load: 'read',
    points: points.map(({ n, xs }) => ({
      value: n,
      rate: { runs: xs, mean: xs.reduce((sum, x) => sum + x, 0) / runs, halfWidth: null },
      errors: 0,
    })),
    fit: uslFit(points.flatMap(({ n, xs }) => xs.map((x) => ({ n, x })))),
  } as unknown as Curve
}

const law = { alpha: 0.02, beta: 0.0005, gamma: 1_000 }

test.each([
  ['rises with every caller', (n: number) => 100 * n, 'linear', null],
  ['has a knee at 20 callers', (n: number) => Math.min(100 * n, 2_000), 'saturation', 20],
  ['has a knee at 150 callers', (n: number) => Math.min(100 * n, 15_000), 'saturation', 150],
  ['has its peak at 44 callers', (n: number) => uslThroughput(law, n), 'inflection', 44.27],
  ['falls over a cliff at 200 callers', (n: number) => (n < 200 ? 100 * n : 500), 'discontinuity', 200],
  ['jumps up at 25 callers', (n: number) => (n < 25 ? 10 * n : 100 * n), 'discontinuity', 25],
])('a curve that %s is told by its shape and place', (_, throughput, shape, at) => {
  const [found] = shapesOf([curveBy(throughput)])
  expect(found?.shape).toBe(shape)
  if (at === null) expect(found?.at).toBeNull()
  else expect(Math.abs((found?.at ?? 0) / at - 1)).toBeLessThan(0.1)
})

test('a curve that still rises at its end saturates nowhere yet', () => {
  const rates: Readonly<Record<number, number>> = { 1: 1_247, 4: 4_344, 16: 11_165 }
  expect(shapesOf([curveBy((n) => rates[n]!, { at: [1, 4, 16] })])).toMatchObject([
    { shape: 'saturation', at: null },
  ])
})

test('runs that scatter beyond their mean have no shape', () => {
  const curve = curveBy((n) => 100 * n, { runs: 3 })
  const points = curve.points.map((point, i) =>
    i === 1 ? { ...point, rate: { ...point.rate, halfWidth: 1e6 } } : point,
  )
  expect(shapesOf([{ ...curve, points }])).toEqual([])
})

test('two points have no shape', () => {
  const curve = curveBy((n) => n)
  expect(shapesOf([{ ...curve, points: curve.points.slice(0, 2) }])).toEqual([])
})

/** Shapes with how few callers they begin to show, and lists of callers. */
const planted: readonly (readonly [Shape, (n: number) => number])[] = [
  ['linear', (n) => 100 * n],
  ['saturation', (n) => Math.min(100 * n, 500)],
  ['saturation', (n) => Math.min(100 * n, 2_000)],
  ['saturation', (n) => Math.min(100 * n, 10_000)],
  ['saturation', (n) => uslThroughput({ alpha: 0.1, beta: 0, gamma: 1_000 }, n)],
  ['inflection', (n) => uslThroughput(law, n)],
  ['inflection', (n) => uslThroughput({ alpha: 0.05, beta: 0.004, gamma: 1_000 }, n)],
  ['discontinuity', (n) => (n < 40 ? 100 * n : 100)],
  ['discontinuity', (n) => Math.min(100 * n, 1_000) * (n < 40 ? 1 : 0.4)],
  ['discontinuity', (n) => (n < 40 ? 10 * n : 100 * n)],
]
const lists = [callers, [1, 10, 100, 1_000], [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]]

test('every list of callers tells the planted shapes, a hard limit not least', () => {
  for (const at of lists)
    for (const [shape, throughput] of planted)
      expect(shapesOf([curveBy(throughput, { at })])[0]?.shape, `${String(throughput)} at ${at.join()}`).toBe(
        shape,
      )
})

test('three runs that scatter by a tenth seldom have another shape', () => {
  const random = fastRandom(27)
  const normal = (): number =>
    Array.from({ length: 12 }, () => random.next()).reduce((sum, one) => sum + one, -6)
  const scatter = (): number => Math.exp(0.1 * normal())
  const times = 12
  for (const at of lists)
    for (const [shape, throughput] of planted) {
      const found = Array.from(
        { length: times },
        () => shapesOf([curveBy(throughput, { runs: 3, scatter, at })])[0]?.shape,
      )
      const wrong = found.filter((one) => one !== shape)
      expect(wrong.length, `${String(throughput)} at ${at.join()}: ${wrong.join()}`).toBeLessThanOrEqual(2)
      if (shape !== 'discontinuity')
        expect(wrong.filter((one) => one === 'discontinuity').length).toBeLessThanOrEqual(1)
    }
})
