import { describe, expect, test } from 'vitest'
import { keyChooser } from '../../src/keys/key-chooser.ts'
import type { KeyLaw } from '../../src/keys/key-law.ts'
import { KeySpace } from '../../src/keys/key-space.ts'
import { scatter } from '../../src/keys/scrambled.ts'
import { fastRandom } from '../../src/random/random.ts'
import { zeta } from '../../src/random/ranks.ts'
import { chiSquare, deviation, draws, frequencies, mass } from './frequencies.ts'
import { grayShares, zipfShares } from './zipf-laws.ts'

type Zipfian = Extract<KeyLaw, { kind: 'zipfian' }>

const ycsb: Zipfian = { kind: 'zipfian', theta: 0.99, law: 'ycsb', scrambled: false }
const exact: Zipfian = { ...ycsb, law: 'exact' }

function found(law: KeyLaw, count: number, seed = 42): Float64Array {
  const chooser = keyChooser(law, { space: new KeySpace({ count }), random: fastRandom(seed) })
  return frequencies(() => chooser.next(), count)
}

describe('the law of YCSB', () => {
  test('is Gray’s, and not the exact one (chi-square of 1,000 keys)', () => {
    const counts = found(ycsb, 1_000)
    expect(chiSquare(counts, grayShares(1_000))).toBeGreaterThan(866.5)
    expect(chiSquare(counts, grayShares(1_000))).toBeLessThan(1142.8)
    expect(chiSquare(counts, zipfShares(1_000))).toBeGreaterThan(3_000)
    expect(Math.abs(counts[0]! - 129_384)).toBeLessThan(1_104)
  })

  test('has the published shares', () => {
    const gray = grayShares(1_000)
    const zipf = zipfShares(1_000)
    expect(gray.slice(2, 6).map((share) => share.toFixed(6))).toEqual([
      '0.051040',
      '0.036339',
      '0.028259',
      '0.023136',
    ])
    expect(zipf.slice(2, 6).map((share) => share.toFixed(6))).toEqual([
      '0.043604',
      '0.032797',
      '0.026297',
      '0.021954',
    ])
    expect([mass(gray, 10), mass(zipf, 10)].map((share) => share.toFixed(5))).toEqual(['0.39835', '0.38247'])
    expect([mass(gray, 200), mass(zipf, 200)].map((share) => share.toFixed(5))).toEqual([
      '0.78657',
      '0.77893',
    ])
    const variation = gray.reduce((sum, share, rank) => sum + Math.abs(share - zipf[rank]!), 0) / 2
    expect(variation).toBeCloseTo(0.0161, 4)
  })

  test.each([2, 100, 10_000, 100_000, 1_000_000])(
    'draws the two top keys of %i exactly as often',
    (count) => {
      const counts = found(ycsb, count)
      for (const rank of [0, 1]) {
        const share = (rank + 1) ** -0.99 / zeta(count, 0.99)
        expect(Math.abs(counts[rank]! - draws * share)).toBeLessThan(deviation(share))
      }
    },
  )

  test('follows the keys that are inserted', () => {
    const space = new KeySpace({ count: 500 })
    const chooser = keyChooser(ycsb, { space, random: fastRandom(1) })
    chooser.next()
    for (let i = 0; i < 500; i++) space.acknowledge(space.insert())
    const statistic = chiSquare(
      frequencies(() => chooser.next(), 1_000),
      grayShares(1_000),
    )
    expect(statistic).toBeGreaterThan(866.5)
    expect(statistic).toBeLessThan(1142.8)
  })
})

describe('the exact law', () => {
  test('is the true Zipf law, and not Gray’s', () => {
    const counts = found(exact, 1_000)
    expect(chiSquare(counts, zipfShares(1_000))).toBeGreaterThan(866.5)
    expect(chiSquare(counts, zipfShares(1_000))).toBeLessThan(1142.8)
    expect(chiSquare(counts, grayShares(1_000))).toBeGreaterThan(2_000)
  })

  test('keeps every share when it is scrambled', () => {
    const place = scatter(1_000)
    const counts = found({ ...exact, scrambled: true }, 1_000)
    const byRank = Float64Array.from({ length: 1_000 }, (_, rank) => counts[place(rank)]!)
    expect(chiSquare(byRank, zipfShares(1_000))).toBeGreaterThan(866.5)
    expect(chiSquare(byRank, zipfShares(1_000))).toBeLessThan(1142.8)
  })
})

describe('scrambled as in YCSB', () => {
  const scrambled: KeyLaw = { ...ycsb, scrambled: true }

  test('1,000 keys have the hottest keys of YCSB', () => {
    const counts = found(scrambled, 1_000)
    const hottest = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]!)
    expect(hottest.slice(0, 8)).toEqual([144, 610, 213, 679, 10, 545, 942, 476])
    const shares = [0.0386, 0.02, 0.016, 0.0117, 0.0093, 0.0078, 0.0066, 0.0058]
    for (const [place, share] of shares.entries())
      expect(Math.abs(counts[hottest[place]!]! / draws - share)).toBeLessThan(0.0005)
    const top10 = hottest.slice(0, 10).reduce((sum, key) => sum + counts[key]!, 0)
    expect(top10 / draws).toBeCloseTo(0.126, 2)
  })

  test('scatters over the keys that are going to be inserted, and skips those that are not there yet', () => {
    const space = new KeySpace({ count: 500 })
    const random = fastRandom(3)
    const chooser = keyChooser(scrambled, { space, random, expectedInserts: 500 })
    expect(chooser.law).toBe('zipfian (law of YCSB, θ = 0.99, scrambled over 1001 numbers)')
    const early = Array.from({ length: 20_000 }, () => chooser.next())
    expect(Math.max(...early)).toBeLessThan(500)
    expect(early.filter((number) => number === 144).length / 20_000).toBeGreaterThan(0.06)
    for (let i = 0; i < 500; i++) space.acknowledge(space.insert())
    const late = Array.from({ length: 20_000 }, () => chooser.next())
    expect(late.filter((number) => number === 610).length / 20_000).toBeCloseTo(0.02, 2)
  })
})

test('scatter holds every number once, and separates neighbours', () => {
  for (const size of [1, 2, 3, 5, 64, 1_000, 65_537]) {
    const place = scatter(size)
    expect(new Set(Array.from({ length: size }, (_, at) => place(at))).size).toBe(size)
  }
  const place = scatter(2 ** 40)
  const numbers = Array.from({ length: 1_000 }, (_, at) => place(at))
  expect(new Set(numbers).size).toBe(1_000)
  expect(Math.max(...numbers)).toBeGreaterThan(2 ** 39)
  expect(numbers.every((number) => number < 2 ** 40)).toBe(true)
})
