import { describe, expect, test } from 'vitest'
import { fastRandom, portableRandom, shuffledIndexes, subSeed } from '../src/random/random.ts'

describe('portableRandom', () => {
  test('draws the published mulberry32 numbers of seed 42', () => {
    const random = portableRandom(42)
    expect(Array.from({ length: 5 }, () => random.next())).toEqual([
      0.6011037519201636, 0.44829055899754167, 0.8524657934904099, 0.6697340414393693, 0.17481389874592423,
    ])
  })

  test('draws the published mulberry32 numbers of seed 1', () => {
    const random = portableRandom(1)
    expect(Array.from({ length: 3 }, () => random.next())).toEqual([
      0.6270739405881613, 0.002735721180215478, 0.5274470399599522,
    ])
  })
})

describe('fastRandom', () => {
  test('repeats its stream for the same seed and differs for the next one', () => {
    const stream = (seed: number): number[] => {
      const random = fastRandom(seed)
      return Array.from({ length: 100 }, () => random.next())
    }
    expect(stream(7)).toEqual(stream(7))
    expect(stream(7)).not.toEqual(stream(8))
  })

  test('fills 100 equal cells evenly (chi-square below its 99.9 % quantile)', () => {
    const random = fastRandom(3)
    const cells = new Float64Array(100)
    for (let i = 0; i < 1_000_000; i++) cells[Math.floor(random.next() * 100)]! += 1
    const chiSquare = cells.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)
    expect(chiSquare).toBeLessThan(148.23)
    expect(chiSquare).toBeGreaterThan(60)
  })

  test('uses every one of its 32 bits about half of the time', () => {
    const random = fastRandom(9)
    const ones = Array.from({ length: 32 }, () => 0)
    for (let i = 0; i < 20_000; i++) {
      const word = random.uint32()
      for (let bit = 0; bit < 32; bit++) ones[bit]! += (word >>> bit) & 1
    }
    for (const count of ones) expect(Math.abs(count - 10_000)).toBeLessThan(350)
  })
})

describe('subSeed', () => {
  test('gives every worker, store and object a seed of its own', () => {
    const seeds = new Set<number>()
    for (let worker = 0; worker < 1_000; worker++) seeds.add(subSeed(42, 'worker', worker))
    expect(seeds.size).toBe(1_000)
    expect(subSeed(42, 'a', 'b')).not.toBe(subSeed(42, 'ab'))
    expect(subSeed(42, 1)).not.toBe(subSeed(42, '1'))
    expect(subSeed(42, 'a')).not.toBe(subSeed(43, 'a'))
  })
})

test('shuffledIndexes holds every index once, in a seeded order', () => {
  const order = shuffledIndexes(1_000, fastRandom(1))
  expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, i) => i))
  expect(order).toEqual(shuffledIndexes(1_000, fastRandom(1)))
  expect(order).not.toEqual(shuffledIndexes(1_000, fastRandom(2)))
})
