import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arrivalsUntil, constantRate, type RateStage, stagedRate } from '../src/loop/arrivals.ts'
import { VirtualClock } from '../src/loop/clock.ts'
import { openLoop } from '../src/loop/open-loop.ts'
import { operations } from '../src/loop/operations.ts'
import { parseRate } from '../src/loop/rate-plan.ts'
import { Series } from '../src/loop/series.ts'
import { verdict } from '../src/loop/verdict.ts'
import { fastRandom } from '../src/random/random.ts'

const stagesOf = (text: string): readonly RateStage[] => parseRate(text) as readonly RateStage[]

/** Run a schedule against a store that answers at once; operations of each second. */
async function driven(text: string, limits: { durationMs?: number; operations?: number }) {
  const clock = new VirtualClock()
  const series = new Series(1)
  const work = operations('read', () => undefined)
  const arrivals = stagedRate(stagesOf(text))
  const result = await openLoop(work, { arrivals, clock, observer: series, ...limits })
  const seconds = series.end(result.elapsedMs).map(({ kinds }) => kinds[0]!.times.count)
  return { result, seconds }
}

describe('a rate in stages', () => {
  test('makes as many arrivals as the integral of a ramp says, in each second', async () => {
    const { result, seconds } = await driven('100..1000/30s', { durationMs: 30_000 })
    expect(result.open).toMatchObject({ arrivals: 16_500, dropped: 0, targetRate: 550 })
    // In second s the rate is 100 + 30 s on the average of its ends: 115, 145, …
    expect(seconds).toEqual(Array.from({ length: 30 }, (_, second) => 115 + 30 * second))
    expect(verdict(result)).toEqual([])
  })

  test('makes steps of equal length, and holds the last rate', async () => {
    const { result, seconds } = await driven('100,200,400/2s', { durationMs: 8_000 })
    expect([result.open!.arrivals, seconds]).toEqual([2_200, [100, 100, 200, 200, 400, 400, 400, 400]])
  })

  test('pauses and falls', async () => {
    const { seconds } = await driven('10/1s,0/2s,100..0/2s', { durationMs: 10_000 })
    expect(seconds).toEqual([10, 0, 0, 75, 25])
  })

  test('that ends early is not taken for a missed target', async () => {
    const { result } = await driven('0..1000/100s', { operations: 500 })
    expect([Math.round(result.elapsedMs), Math.round(result.open!.targetRate)]).toEqual([9_990, 50])
    expect(verdict(result)).toEqual([])
  })

  test('is shared by generators that take turns', () => {
    const stages = stagesOf('50..500/3s,200/1s')
    const one = stagedRate(stages)
    const times = (of: number) =>
      Array.from({ length: of }, (_, index) => stagedRate(stages, { index, of })).flatMap((part) =>
        Array.from({ length: 900 / of }, () => part.next()),
      )
    const whole = Array.from({ length: 900 }, () => one.next())
    expect(times(3).sort((a, b) => a - b)).toEqual(whole)
  })

  test('makes exactly as many arrivals among several generators as in one', () => {
    // Each of these made one more, as fractions of a rate were added up.
    const cases = [
      ['7', 3, 5_000],
      ['100', 3, 30_000],
      ['777', 5, 2_000],
      ['0.3/2s,10..333/100ms,0.1/1s,0.1..0/3s', 1, 6_100],
      ['33.3..100/1s,1..0/700ms', 3, 1_700],
    ] as const
    for (const [text, of, durationMs] of cases) {
      const rate = parseRate(text)
      const counts = Array.from({ length: of }, (_, index) => {
        const share = { index, of }
        const arrivals = typeof rate === 'number' ? constantRate(rate, share) : stagedRate(rate, share)
        let count = 0
        while (arrivals.next() < durationMs) count++
        return count
      })
      const due = arrivalsUntil(typeof rate === 'number' ? stagesOf(`${text}/1s`) : rate, durationMs)
      expect([text, counts.reduce((sum, count) => sum + count, 0)]).toEqual([text, Math.ceil(due - 1e-9)])
    }
  })

  test('has the same integral with the gaps of independent users', () => {
    const stages = stagesOf('100..1000/30s,1000/70s')
    const arrivals = stagedRate(stages, { index: 0, of: 1 }, fastRandom(5))
    let [early, all] = [0, 0]
    for (let at = arrivals.next(); at < 100_000; at = arrivals.next()) {
      all++
      if (at < 30_000) early++
    }
    // Counts of independent users: 16,500 and 86,500, each within four standard deviations.
    expect(Math.abs(early - 16_500)).toBeLessThan(4 * Math.sqrt(16_500))
    expect(Math.abs(all - 86_500)).toBeLessThan(4 * Math.sqrt(86_500))
  })

  test('brings each arrival when the integral reaches its number, whatever the stages', () => {
    const rate = fc.integer({ min: 0, max: 5_000 })
    const stage = fc.record({ from: rate, to: rate, ms: fc.integer({ min: 1, max: 20_000 }) })
    fc.assert(
      fc.property(fc.array(stage, { minLength: 1, maxLength: 5 }), (stages) => {
        fc.pre(stages.some(({ from, to }) => from > 0 || to > 0))
        const arrivals = stagedRate(stages)
        let before = 0
        for (let number = 0; number < 200; number++) {
          const at = arrivals.next()
          if (at === Infinity) return
          expect(at).toBeGreaterThanOrEqual(before)
          expect(arrivalsUntil(stages, at)).toBeCloseTo(number, 5)
          before = at
        }
      }),
    )
  })

  test.each([
    ['1000', 1_000],
    ['0.5', 0.5],
    ['100..1000/30s', [{ from: 100, to: 1_000, ms: 30_000 }]],
    [
      '100, 200,400/10s',
      [
        { from: 100, to: 100, ms: 10_000 },
        { from: 200, to: 200, ms: 10_000 },
        { from: 400, to: 400, ms: 10_000 },
      ],
    ],
    [
      '0..500/1m,500/30s',
      [
        { from: 0, to: 500, ms: 60_000 },
        { from: 500, to: 500, ms: 30_000 },
      ],
    ],
  ])('is written %s', (text, rates) => {
    expect(parseRate(text)).toEqual(rates)
  })

  test.each([
    ['fast', "'fast' is not a rate"],
    ['100..200', "'100..200' needs a time"],
    ['100/10s,200', "'200' needs a time"],
    ['0/10s', 'no part has a rate above 0'],
    ['100/0s', 'has no length'],
    ['1e9', "'1e9' is not a rate"],
    ['1000/s', "'1000/s': a rate is of operations a second, so write 1000"],
    ['20000000', 'above 10,000,000'],
  ])('is refused for %s', (text, message) => {
    expect(() => parseRate(text)).toThrow(message)
  })
})
