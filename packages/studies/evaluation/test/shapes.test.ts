import type { Curve } from '@unikv/study-sweep'
import { uslFit, uslThroughput } from '@unikv/workload/statistics'
import { expect, test } from 'vitest'
import { shapesOf } from '../src/shapes.ts'

const callers = [1, 2, 5, 10, 25, 50, 100, 200, 500, 1_000]

/** A curve whose throughput is exactly so. */
function curveBy(throughput: (n: number) => number): Curve {
  const points = callers.map((n) => ({ n, x: throughput(n) }))
  return {
    store: 'here',
    load: 'read',
    points: points.map(({ n, x }) => ({
      value: n,
      rate: { runs: [x], mean: x, halfWidth: null },
      errors: 0,
    })),
    fit: uslFit(points),
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

test('two points have no shape', () => {
  const curve = curveBy((n) => n)
  expect(shapesOf([{ ...curve, points: curve.points.slice(0, 2) }])).toEqual([])
})
