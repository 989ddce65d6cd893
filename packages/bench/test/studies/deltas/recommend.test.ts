import { describe, expect, test } from 'vitest'
import { fastRandom } from '../../../src/random/random.ts'
import type { UseOfDeltas } from '../../../src/studies/deltas/config.ts'
import { reasonOf, recommend, turning, type WayCosts } from '../../../src/studies/deltas/recommend.ts'

const use: UseOfDeltas = { reads: 1, knownReads: 0, mbits: null, roundTripMs: 0 }

/** A way with the same times in every run, or with those given. */
function way(changes: Partial<Flat> = {}): WayCosts {
  const { updateMs, readMs, knownReadMs, sentBytes, readTrips } = { ...usual, ...changes }
  return {
    update: { runsMs: updateMs, bytes: sentBytes, trips: 1 },
    read: { runsMs: readMs, bytes: 100_000, trips: readTrips },
    'known read': { runsMs: knownReadMs, bytes: 100_000, trips: 1 },
  }
}

interface Flat {
  readonly updateMs: readonly number[]
  readonly readMs: readonly number[]
  readonly knownReadMs: readonly number[]
  readonly sentBytes: number
  readonly readTrips: number
}

const usual: Flat = {
  updateMs: [1, 1, 1],
  readMs: [1, 1, 1],
  knownReadMs: [1, 1, 1],
  sentBytes: 100_000,
  readTrips: 1,
}

describe('the rule', () => {
  const ratio = (low: number | null, high: number | null) => ({ mean: 1, low, high })
  const clear = ratio(0.4, 0.5)

  test.each([
    ['no update was a delta, however fast', 0, 0.1, clear, 'written-whole'],
    ['one update in a thousand was', 0.001, 0.1, clear, 'faster'],
    ['just above 90 % of the bytes are sent', 1, 0.9001, clear, 'saves-too-little'],
    ['90 % of the bytes are sent', 1, 0.9, clear, 'faster'],
    ['the interval ends just below 0.95', 1, 0.1, ratio(0.5, 0.9499), 'faster'],
    ['the interval ends at 0.95', 1, 0.1, ratio(0.5, 0.95), 'overlap'],
    ['the interval begins just above 1.05', 1, 0.1, ratio(1.0501, 9), 'slower'],
    ['the interval begins at 1.05', 1, 0.1, ratio(1.05, 9), 'overlap'],
    ['the interval holds 1', 1, 0.1, ratio(0.2, 30), 'overlap'],
    ['the interval is narrow and close to 1', 1, 0.1, ratio(0.96, 0.99), 'overlap'],
    ['there was one run', 1, 0.1, ratio(null, null), 'one-run'],
    ['there was one run that saved nothing', 1, 1, ratio(null, null), 'saves-too-little'],
  ] as const)('%s', (_what, deltaShare, sentShare, found, reason) => {
    expect(reasonOf({ deltaShare, sentShare, ratio: found })).toBe(reason)
  })
})

describe('recommend', () => {
  test('compares an update and its reads within each run', () => {
    const plain = way({ updateMs: [1, 10, 100], readMs: [1, 10, 100] })
    const delta = way({ updateMs: [0.5, 5, 50], readMs: [0.7, 7, 70], sentBytes: 5_000 })
    const found = recommend(plain, delta, 1, use)
    expect(found.verdict).toBe('use')
    expect([found.plainMs, found.deltaMs]).toEqual([74, expect.closeTo(44.4, 9)])
    expect([found.ratio.mean, found.ratio.low, found.ratio.high]).toEqual([
      expect.closeTo(0.6, 9),
      expect.closeTo(0.6, 9),
      expect.closeTo(0.6, 9),
    ])
  })

  test('says no clear difference of one run', () => {
    const one = { updateMs: [1], readMs: [1], knownReadMs: [1] }
    const found = recommend(way(one), way({ ...one, updateMs: [0.1], sentBytes: 5 }), 1, use)
    expect([found.verdict, found.reason]).toEqual(['no-clear-difference', 'one-run'])
  })

  test('counts reads as often as asked, and those who know the value by their share', () => {
    const delta = way({ updateMs: [0.2, 0.2, 0.2], readMs: [3, 3, 3], sentBytes: 5_000 })
    const by = (changes: Partial<UseOfDeltas>) => recommend(way(), delta, 1, { ...use, ...changes })
    expect([by({ reads: 0 }).verdict, by({ reads: 1 }).verdict]).toEqual(['use', 'do-not-use'])
    expect(by({ reads: 2, knownReads: 0.75 }).deltaMs).toBeCloseTo(0.2 + 2 * (0.25 * 3 + 0.75), 9)
  })

  test('adds the network that was stated, by bytes and by round trips', () => {
    const delta = way({ updateMs: [3, 3, 3], sentBytes: 5_000, readTrips: 2 })
    const far = recommend(way(), delta, 1, { ...use, mbits: 8, roundTripMs: 10 })
    expect(far.plainMs).toBeCloseTo(2 + 2 * 10 + 200, 9) // 8 Mbit/s: 1,000 bytes in a millisecond
    expect(far.deltaMs).toBeCloseTo(4 + 3 * 10 + 105, 9)
    expect([recommend(way(), delta, 1, use).verdict, far.verdict]).toEqual(['do-not-use', 'use'])
  })

  test('tells the speed of a network at which both take as long', () => {
    const delta = way({ updateMs: [3, 3, 3], sentBytes: 5_000 })
    const { network } = recommend(way(), delta, 1, use)
    expect(network).toEqual({ pays: 'up-to', at: expect.closeTo(380, 9) }) // 95,000 bytes saved for 2 ms
    const there = recommend(way(), delta, 1, { ...use, mbits: network.at })
    expect(there.deltaMs).toBeCloseTo(there.plainMs, 9)
    const slower = recommend(way(), delta, 1, { ...use, mbits: (network.at as number) * 0.5 })
    expect([slower.verdict, slower.network]).toEqual(['use', network])
  })

  test('tells the reads an update at which both take as long', () => {
    const delta = way({ updateMs: [0.2, 0.2, 0.2], readMs: [1.4, 1.4, 1.4], sentBytes: 5_000 })
    const { reads } = recommend(way(), delta, 1, use)
    expect(reads).toEqual({ pays: 'up-to', at: expect.closeTo(2, 9) })
    const there = recommend(way(), delta, 1, { ...use, reads: 2 })
    expect([there.deltaMs, there.verdict]).toEqual([expect.closeTo(there.plainMs, 9), 'no-clear-difference'])
  })

  test('gives the same answer run after run if the difference is clear, and none if there is none', () => {
    const random = fastRandom(20261122)
    // Runs whose times differ up to four times over, for both ways alike, and by up to 10 % within a run.
    const answer = (factor: number): string => {
      const load = Array.from({ length: 5 }, () => 1 + 3 * random.next())
      const times = (ms: number) => load.map((busy) => ms * busy * (0.9 + 0.2 * random.next()))
      const plain = way({ updateMs: times(1), readMs: times(1), knownReadMs: times(1) })
      const slow = { updateMs: times(factor), readMs: times(factor), knownReadMs: times(factor) }
      const delta = way({ ...slow, sentBytes: 5_000 })
      return recommend(plain, delta, 1, use).verdict
    }
    const answers = (factor: number): string[] => Array.from({ length: 300 }, () => answer(factor))
    expect(new Set(answers(0.7))).toEqual(new Set(['use']))
    expect(new Set(answers(1.4))).toEqual(new Set(['do-not-use']))
    expect(answers(1).filter((one) => one === 'no-clear-difference').length).toBeGreaterThan(290)
  })
})

describe('turning', () => {
  test.each([
    [-1, 0, 'always', null],
    [-1, -1, 'always', null],
    [-1, 0.5, 'up-to', 2],
    [1, -0.5, 'from', 2],
    [1, 0, 'never', null],
    [1, 1, 'never', null],
    [0, 0, 'never', null],
  ] as const)('of %d and %d each', (atZero, slope, pays, at) => {
    expect(turning(atZero, slope)).toEqual({ pays, at })
  })
})
