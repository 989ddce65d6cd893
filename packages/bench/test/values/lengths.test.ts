import { expect, test } from 'vitest'
import { fastRandom } from '../../src/random/random.ts'
import { greatestLength, type LengthLaw, lengthLawSchema } from '../../src/values/length-law.ts'
import { lengths } from '../../src/values/lengths.ts'

const draws = 100_000

function sorted(law: LengthLaw): Float64Array {
  const drawn = lengths(law, fastRandom(8))
  return Float64Array.from({ length: draws }, () => drawn.next()).sort()
}

function mean(numbers: Float64Array): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

test('constant gives one length', () => {
  expect([...new Set(sorted({ kind: 'constant', length: 7 }))]).toEqual([7])
})

test('uniform gives every length from the least to the most alike, as scans of YCSB', () => {
  const found = sorted({ kind: 'uniform', least: 1, most: 100 })
  expect([found[0], found.at(-1)]).toEqual([1, 100])
  expect(Math.abs(mean(found) - 50.5)).toBeLessThan((3.29 * 28.87) / Math.sqrt(draws))
})

test('zipfian prefers the shortest, by the law of YCSB or the exact one', () => {
  const theta = 0.99
  for (const law of ['ycsb', 'exact'] as const) {
    const found = sorted({ kind: 'zipfian', least: 5, most: 104, theta, law })
    expect([found[0], found.at(-1)]).toEqual([5, 104])
    expect(found.indexOf(6) / draws).toBeCloseTo(0.18887, 2)
  }
  const steep = sorted({ kind: 'zipfian', least: 1, most: 10, theta: 3, law: 'exact' })
  expect(steep.indexOf(2) / draws).toBeCloseTo(0.8353, 2)
})

test('lognormal has its median, two thirds within one σ, and nothing above the most', () => {
  const found = sorted({ kind: 'lognormal', median: 1_000, sigma: 0.5, most: 5_000 })
  expect(found[draws / 2]! / 1_000).toBeCloseTo(1, 1)
  expect(found[Math.round(0.1587 * draws)]! / 1_000).toBeCloseTo(Math.exp(-0.5), 1)
  expect(found[Math.round(0.8413 * draws)]! / 1_000).toBeCloseTo(Math.exp(0.5), 1)
  expect(found.at(-1)).toBeLessThanOrEqual(5_000)
  expect(sorted({ kind: 'lognormal', median: 1, sigma: 3, most: 2 })[0]).toBe(1)
})

test('histogram gives the upper end of each bucket, the last one too', () => {
  const found = sorted({ kind: 'histogram', blockSize: 10, buckets: [3, 0, 1] })
  expect([...new Set(found)]).toEqual([10, 30])
  expect(found.indexOf(30) / draws).toBeCloseTo(0.75, 2)
})

test('several fields add up', () => {
  const law: LengthLaw = { kind: 'uniform', least: 1, most: 100, fields: 10 }
  const found = sorted(law)
  expect(Math.abs(mean(found) - 505)).toBeLessThan((3.29 * 91.3) / Math.sqrt(draws))
  expect(found.at(-1)).toBeLessThanOrEqual(1_000)
  expect(lengths(law, fastRandom(1)).law).toBe('10 fields, each uniform from 1 to 100')
})

test('greatestLength is the bound of what a law draws', () => {
  const laws: [LengthLaw, number][] = [
    [{ kind: 'constant', length: 7 }, 7],
    [{ kind: 'uniform', least: 1, most: 9, fields: 3 }, 27],
    [{ kind: 'zipfian', least: 1, most: 9, theta: 0.5, law: 'ycsb' }, 9],
    [{ kind: 'lognormal', median: 10, sigma: 1, most: 100 }, 100],
    [{ kind: 'histogram', blockSize: 10, buckets: [3, 1, 0], fields: 2 }, 40],
  ]
  for (const [law, most] of laws) {
    expect(greatestLength(law)).toBe(most)
    expect(sorted(law).at(-1)).toBeLessThanOrEqual(most)
  }
})

test('the schema fills in defaults, and refuses laws that cannot be', () => {
  expect(lengthLawSchema.parse({ kind: 'lognormal', median: 1_000, sigma: 0.5 })).toMatchObject({ most: 1e6 })
  expect(lengthLawSchema.parse({ kind: 'zipfian', least: 1, most: 2 })).toMatchObject({
    theta: 0.99,
    law: 'ycsb',
  })
  const wrong = [
    { kind: 'constant', length: 0 },
    { kind: 'uniform', least: 2, most: 1 },
    { kind: 'zipfian', least: 1, most: 2, theta: 1 },
    { kind: 'lognormal', median: 10, sigma: 1, most: 9 },
    { kind: 'histogram', blockSize: 1, buckets: [0] },
  ]
  for (const law of wrong) expect(lengthLawSchema.safeParse(law).success).toBe(false)
})
