import { isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { changePoints } from '../../src/compare/e-divisive.ts'
import { type History, historyOf } from '../../src/compare/history.ts'
import { hasWorsened, historyFindings, historyTable, isUnknown } from '../../src/compare/history-report.ts'
import { fastRandom } from '../../src/random/random.ts'
import { normal, ratedResult } from './planted.ts'

/** Logarithms of 30 results with this scatter, of which some are a tenth higher. */
function series(seed: number, scatter: number, from = 30, end = 30): readonly number[] {
  const draw = normal(fastRandom(seed))
  return Array.from({ length: 30 }, (_, i) => Math.log(i >= from && i < end ? 1.1 : 1) + scatter * draw())
}

/** How many of so many series have a change; in the second place, within two results of one that was planted. */
function found(count: number, scatter: number, from?: number, end?: number): readonly [number, number] {
  const all = Array.from({ length: count }, (_, seed) => changePoints(series(seed, scatter, from, end)))
  const near = all.filter((points) => points.some(({ at }) => Math.abs(at - (from ?? 0)) <= 2))
  return [all.filter((points) => points.length > 0).length, near.length]
}

describe('changePoints', () => {
  test('100 sets of 30 histories without a change: at most one set has a false alarm', () => {
    const sets = Array.from({ length: 100 }, (_, set) =>
      Array.from({ length: 30 }, (_, i) => changePoints(series(100_000 + set * 30 + i, 0.05))),
    )
    expect(sets.filter((set) => set.some((points) => points.length > 0)).length).toBeLessThanOrEqual(1)
  })

  test('a step of 10 % in 30 noisy results is found in at least 90 of 100', () => {
    // Of the first twenty, 16 are what 90 of 100 may give.
    const [count, least] = isWhole ? [100, 90] : [20, 16]
    expect(found(count, 0.035, 15)[1]).toBeGreaterThanOrEqual(least)
    expect(found(count, 0.03, 22)[1]).toBeGreaterThanOrEqual(least)
  })

  test('what is slower for a time has two ends, and outliers are no change', () => {
    const [middle] = [changePoints(series(5, 0.02, 10, 20))]
    expect(middle.map(({ at }) => at)).toEqual([10, 20])
    const outliers = series(3, 0.01).map((value, i) => (i % 10 === 4 ? value + 0.5 : value))
    expect(changePoints(outliers)).toEqual([])
    expect([changePoints([1, 2, 3]), changePoints(Array.from({ length: 30 }, () => 1))]).toEqual([[], []])
  })

  test('the same values have the same points', () => {
    expect(changePoints(series(9, 0.04, 12))).toEqual(changePoints(series(9, 0.04, 12)))
  })
})

/** A history of results, each of whose runs has about its rate. */
function historyWith(rates: readonly number[], options: object = {}): History {
  const results = rates.map((rate, i) => {
    const one = ratedResult([rate * 0.99, rate, rate * 1.01], `r${i}`)
    const startedAt = new Date(Date.UTC(2026, 0, 1 + i)).toISOString()
    return { ...one, result: { ...one.result, startedAt } }
  })
  return historyOf(results.toReversed(), options)
}

const rates = (scatter: number, from = 30): number[] =>
  series(4, scatter, from).map((log) => 1_000 / Math.exp(log))

describe('historyOf', () => {
  test('tells from which result on something is slower, in the order of time', () => {
    const history = historyWith(rates(0.02, 20))
    expect(history.results.map(({ name }) => name).slice(0, 2)).toEqual(['r0', 'r1'])
    const rate = history.figures.find(({ figure }) => figure === 'rate')
    expect(rate).toMatchObject({ verdict: 'changed', changes: [{ at: 20, name: 'r20', verdict: 'slower' }] })
    expect(historyFindings(history)).toEqual([
      expect.stringMatching(
        /^From r20 \(2026-01-21\) on worse: rate \(−\d+\.\d %, [\d,]+ to \d+\), read mean \(\+/,
      ),
    ])
    expect([hasWorsened(history), isUnknown(history)]).toEqual([true, false])
    expect(historyTable(history).rows[0]).toEqual([
      'all',
      'ops/s',
      expect.any(String),
      expect.any(String),
      '1',
      expect.stringMatching(/^\+\d/),
      'changed',
    ])
  })

  test('is steady within a small scatter, unclear within a large one, and says how large a step would be seen', () => {
    const steady = historyWith(rates(0.02))
    expect([...new Set(steady.figures.map(({ verdict }) => verdict))]).toEqual(['steady'])
    expect(historyFindings(steady)).toEqual(['No figure changed.'])
    const noisy = historyWith(rates(0.15))
    expect([...new Set(noisy.figures.map(({ verdict }) => verdict))]).toEqual(['unclear'])
    expect(noisy.figures[0]?.visible).toBeGreaterThan(0.25)
    expect(historyFindings(noisy).at(-1)).toMatch(/^Unclear, as the machine varies too much: .* rate \(\+\d+/)
    expect([hasWorsened(steady), hasWorsened(noisy)]).toEqual([false, false])
  })

  test('a change below the least effect counts as none, and few results tell nothing', () => {
    expect(historyWith(rates(0.001, 20), { minEffect: 0.2 }).figures[0]?.changes).toEqual([])
    const few = historyWith(rates(0.02, 5).slice(0, 10))
    expect([isUnknown(few), historyFindings(few)]).toEqual([
      true,
      [expect.stringMatching(/^10 results are too few/)],
    ])
    const long = historyWith(Array.from({ length: 103 }, () => 1_000))
    expect([long.results[0]?.name, historyFindings(long)[0]]).toEqual([
      'r3',
      'The newest 100 results are looked at; 3 older ones are left out.',
    ])
    expect(() => historyWith([1])).toThrow('two results or more')
  })

  test('refuses results that were not measured alike, or tells where', () => {
    const [a, b] = [ratedResult([1, 1, 1], 'a'), ratedResult([1, 1, 1], 'b')]
    const other = {
      ...b,
      result: { ...b.result, startedAt: '2030-01-01T00:00:00.000Z', config: { ...b.result.config, seed: 7 } },
    }
    expect(() => historyOf([a, other])).toThrow('not measured alike from a to b: seed (42 and 7). Leave')
    expect(historyFindings(historyOf([other, a], { force: true }))[0]).toBe(
      'Not measured alike from a to b: seed (42 and 7).',
    )
  })
})
