import { describe, expect, test } from 'vitest'
import { type KeyChooser, keyChooser } from '../../src/keys/key-chooser.ts'
import { type KeyLaw, keyLawNames, parseKeyLaw } from '../../src/keys/key-law.ts'
import { KeySpace } from '../../src/keys/key-space.ts'
import { fastRandom } from '../../src/random/random.ts'
import { chiSquare, deviation, draws, frequencies, mass } from './frequencies.ts'

const histogram: KeyLaw = { kind: 'histogram', blockSize: 100, buckets: [3, 0, 1] }
const laws: KeyLaw[] = [
  ...keyLawNames.filter((name) => name !== 'histogram').map((name) => parseKeyLaw(name)),
  histogram,
]

function chooserOf(law: KeyLaw | string, space: KeySpace | number = 1_000, seed = 7): KeyChooser {
  return keyChooser(typeof law === 'string' ? parseKeyLaw(law) : law, {
    space: typeof space === 'number' ? new KeySpace({ count: space }) : space,
    random: fastRandom(seed),
  })
}

function found(law: KeyLaw | string, count = 1_000): Float64Array {
  const chooser = chooserOf(law, count)
  return frequencies(() => chooser.next(), count)
}

const even = Array.from({ length: 1_000 }, () => 0.001)

test('uniform draws every key alike', () => {
  const statistic = chiSquare(found('uniform'), even)
  expect(statistic).toBeGreaterThan(866.5)
  expect(statistic).toBeLessThan(1142.8)
})

test('sequential takes turns', () => {
  const space = new KeySpace({ first: 5, count: 3 })
  const chooser = chooserOf('sequential', space)
  const next = (count: number): number[] => Array.from({ length: count }, () => chooser.next())
  expect(next(4)).toEqual([5, 6, 7, 5])
  space.acknowledge(space.insert())
  expect(next(4)).toEqual([6, 7, 8, 5])
})

test('latest prefers the newest key, and never draws the first one', () => {
  const counts = found('latest')
  expect(Math.abs(counts[999]! - draws * 0.129402)).toBeLessThan(deviation(0.129402))
  expect(counts[0]).toBe(0)
  expect(counts[1]).toBeGreaterThan(0)
  const exact = chooserOf('latest-exact', 3)
  expect(Array.from({ length: 100 }, () => exact.next())).toContain(0)
  expect(chooserOf('latest', 1).next()).toBe(0)
})

test('latest follows the inserts', () => {
  const space = new KeySpace({ count: 1_000 })
  const chooser = chooserOf('latest', space)
  for (let i = 0; i < 1_000; i++) space.acknowledge(space.insert())
  const drawn = Array.from({ length: 20_000 }, () => chooser.next())
  expect(drawn.filter((number) => number === 1_999).length / 20_000).toBeCloseTo(0.1217, 1)
})

test('hotspot draws each hot key with 0.004 and each cold one with 0.00025', () => {
  const shares = Array.from({ length: 1_000 }, (_, key) => (key < 200 ? 0.004 : 0.00025))
  const statistic = chiSquare(found('hotspot'), shares)
  expect(statistic).toBeGreaterThan(866.5)
  expect(statistic).toBeLessThan(1142.8)
})

test.each(['hotspot:1,0', 'hotspot:0,1'])('%s has keys of one sort alone, and draws them', (law) => {
  const chooser = chooserOf(law, 10)
  expect(new Set(Array.from({ length: 1_000 }, () => chooser.next())).size).toBe(10)
})

test('exponential prefers the newest keys, with the shares of YCSB', () => {
  const newest = found('exponential').reverse()
  expect(Math.abs(mass(newest, 857) - draws * 0.9797)).toBeLessThan(deviation(0.9797) + 50)
  expect(Math.abs(mass(newest, 100) - draws * 0.3042)).toBeLessThan(deviation(0.3042) + 50)
  const gamma = 0.00349502
  const shares = Array.from(
    { length: 1_000 },
    (_, age) => (Math.exp(-gamma * age) * -Math.expm1(-gamma)) / -Math.expm1(-gamma * 1_000),
  )
  expect(chiSquare(newest, shares)).toBeGreaterThan(866.5)
  expect(chiSquare(newest, shares)).toBeLessThan(1142.8)
})

test('histogram draws buckets by their counts, and keys within a bucket alike', () => {
  const shares = Array.from({ length: 300 }, (_, key) => [0.0075, 0, 0.0025][Math.floor(key / 100)]!)
  const counts = found(histogram)
  expect(counts.subarray(100, 200).every((count) => count === 0)).toBe(true)
  const drawn = counts.filter((_, key) => (shares[key] ?? 0) > 0)
  const statistic = chiSquare(
    drawn,
    shares.filter((share) => share > 0),
  )
  expect(statistic).toBeLessThan(266) // 99.9 % of 199 degrees of freedom
  expect(mass(counts, 300)).toBe(draws)
})

describe.each(laws.map((law) => [chooserOf(law).law, law] as const))('%s', (_words, law) => {
  test('draws only keys that exist, while inserts end in any order and some fail', () => {
    const space = new KeySpace({ first: 50, count: 20 })
    const chooser = keyChooser(law, { space, random: fastRandom(5), expectedInserts: 400 })
    const random = fastRandom(6)
    const exists = new Set(Array.from({ length: 20 }, (_, at) => 50 + at))
    const open: number[] = []
    for (let i = 0; i < 400; i++) {
      open.push(space.insert())
      const [number] = open.splice(Math.floor(random.next() * open.length), random.next() < 0.9 ? 1 : 0)
      if (number !== undefined && random.next() < 0.5) space.abandon(number)
      else if (number !== undefined) {
        exists.add(number)
        space.acknowledge(number)
      }
      for (let draw = 0; draw < 3; draw++) {
        const drawn = chooser.next()
        if (!exists.has(drawn)) expect.fail(`${drawn} does not exist`)
      }
    }
  })

  test('repeats its draws for the same seed', () => {
    const first = chooserOf(law)
    const second = chooserOf(law)
    for (let i = 0; i < 100; i++) expect(first.next()).toBe(second.next())
  })

  test('refuses to draw while there are no keys, and draws the only one', () => {
    expect(() => chooserOf(law, 0).next()).toThrow('No key exists')
    expect(chooserOf(law, 1).next()).toBe(0)
  })
})

test('a law that hardly ever draws an existing key still ends', () => {
  const beyond: KeyLaw = { kind: 'histogram', blockSize: 10, buckets: [0, 0, 1] }
  const chooser = chooserOf(beyond, 5)
  const drawn = new Set(Array.from({ length: 50 }, () => chooser.next()))
  expect([...drawn].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4])
})
