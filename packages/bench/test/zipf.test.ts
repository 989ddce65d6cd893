import { describe, expect, test } from 'vitest'
import { fastRandom } from '../src/random/random.ts'
import { type RankDistribution, zeta, zipfAlias, zipfRejection } from '../src/random/ranks.ts'

const draws = 1_000_000

function counts(distribution: RankDistribution, items: number): Float64Array {
  const found = new Float64Array(items)
  for (let i = 0; i < draws; i++) found[distribution.next()]! += 1
  return found
}

function chiSquare(found: Float64Array, theta: number): number {
  const total = zeta(found.length, theta)
  return found.reduce((sum, count, index) => {
    const expected = (draws * (index + 1) ** -theta) / total
    return sum + (count - expected) ** 2 / expected
  }, 0)
}

test('zeta has the published values', () => {
  const published: readonly [number, number, number][] = [
    [2, 0.99, 1.503477775],
    [100, 0.99, 5.2945688314],
    [1_000, 0.99, 7.7289532173],
    [10_000, 0.99, 10.2243614596],
    [100_000, 0.99, 12.7783380626],
    [1_000_000, 0.99, 15.391849746],
    [1_000, 0.5, 61.80100877],
    [1_000, 0.8, 15.46981038],
  ]
  for (const [items, theta, value] of published) expect(zeta(items, theta)).toBeCloseTo(value, 8)
})

describe.each([
  ['zipfAlias', zipfAlias],
  ['zipfRejection', zipfRejection],
] as const)('%s', (_name, zipf) => {
  test('fits the exact law over 1,000 items (chi-square, 0.1 % to 99.9 %)', () => {
    const found = counts(zipf({ items: 1_000 }, fastRandom(42)), 1_000)
    expect(chiSquare(found, 0.99)).toBeGreaterThan(866.5)
    expect(chiSquare(found, 0.99)).toBeLessThan(1142.8)
    expect(Math.abs(found[0]! - 129_384)).toBeLessThan(1_104)
    const top10 = found.slice(0, 10).reduce((sum, count) => sum + count, 0) / draws
    expect(top10).toBeCloseTo(0.38247, 2)
    const top200 = found.slice(0, 200).reduce((sum, count) => sum + count, 0) / draws
    expect(top200).toBeCloseTo(0.77893, 2)
  })

  test.each([0.5, 0.8, 1, 1.2, 2])('fits the exact law for exponent %s', (theta) => {
    const found = counts(zipf({ items: 100, theta }, fastRandom(5)), 100)
    expect(chiSquare(found, theta)).toBeLessThan(148.23)
  })

  test.each([2, 100, 10_000, 100_000])(
    'draws the two top ranks of %s items as often as the law says',
    (items) => {
      const found = counts(zipf({ items }, fastRandom(11)), items)
      for (const rank of [1, 2]) {
        const share = rank ** -0.99 / zeta(items, 0.99)
        const deviation = 3.29 * Math.sqrt(draws * share * (1 - share))
        expect(Math.abs(found[rank - 1]! - draws * share)).toBeLessThan(deviation)
      }
    },
  )

  test('states the law and refuses what is none', () => {
    expect(zipf({ items: 10, theta: 0.5 }, fastRandom(1)).law).toBe('zipf-exact(θ=0.5, n=10)')
    expect(zipf({ items: 1 }, fastRandom(1)).next()).toBe(0)
    expect(() => zipf({ items: 0 }, fastRandom(1))).toThrow(RangeError)
    expect(() => zipf({ items: 10, theta: 0 }, fastRandom(1))).toThrow(RangeError)
  })
})
