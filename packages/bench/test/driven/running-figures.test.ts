import { describe, expect, test } from 'vitest'
import { RunningFigures } from '../../src/driven/thresholds/running-figures.ts'
import { parseThreshold } from '../../src/driven/thresholds/threshold.ts'
import type { IntervalSample } from '../../src/loop/interval-sample.ts'
import { Series } from '../../src/loop/series.ts'
import { countedKinds } from '../../src/operations/mixed-operations.ts'

/** Reads, updates, and reads that missed. */
const kinds = countedKinds(['read', 'update'])

/** A second of reads that took so long, with misses and failures. */
function second(ms: number, reads: number, { misses = 0, errors = 0 } = {}): IntervalSample {
  const series = new Series(kinds.length)
  for (let read = 0; read < reads; read++) series.ended(0, read / reads, 0, ms * 1e6)
  for (let miss = 0; miss < misses; miss++) series.ended(2, 1, 0, 1)
  for (let error = 0; error < errors; error++) series.failed(0, 1)
  return series.end(1_000)[0]!
}

/** A second of 2,000 reads, of which so many are slow. */
function slow(count: number): IntervalSample {
  const series = new Series(kinds.length)
  for (let read = 0; read < 2_000; read++) series.ended(0, read / 2_000, 0, (read < count ? 11 : 1) * 1e6)
  return series.end(1_000)[0]!
}

/** In which second a threshold ends the run; `undefined`: in none of these. */
function endsAt(text: string, seconds: readonly IntervalSample[], isAtRate = false): number | undefined {
  const figures = new RunningFigures(kinds, isAtRate)
  figures.begin()
  const at = seconds.findIndex((one) => {
    figures.add(one)
    return figures.hasCrossed([parseThreshold(text)])
  })
  return at < 0 ? undefined : at + 1
}

const ten = (one: IntervalSample): IntervalSample[] => Array.from({ length: 10 }, () => one)

describe('a threshold within a run', () => {
  test.each([
    ['read.p99 > 10ms', second(11, 1_000), 3],
    ['read.p99 > 10ms', second(11, 200), 5], // 1,000 operations are needed
    ['read.p99 > 10ms', second(10.1, 1_000), undefined], // not beyond doubt
    ['read.p99 > 10ms', second(9, 1_000), undefined],
    ['read.mean > 10ms', second(11, 10), 10], // 100 operations are needed
    ['rate < 1000', second(1, 900), 3],
    ['rate < 1000', second(1, 990), undefined],
    ['update.p50 > 1ms', second(11, 1_000), undefined],
    ['errors > 1%', second(1, 900, { errors: 20 }), 3],
    ['errors > 25', second(1, 900, { errors: 20 }), 2], // a count only grows
    ['errors < 25', second(1, 900, { errors: 1 }), undefined],
    ['read.misses > 5%', second(1, 900, { misses: 100 }), 3],
    ['wrong > 0', second(1, 900), undefined],
    // One of 50 a second, and 25 of 1,000: that may be chance.
    ['errors > 1.5%', second(1, 49, { errors: 1 }), undefined],
    ['errors > 1.5%', second(1, 4_900, { errors: 100 }), 3],
    ['read.p99 > 10ms', slow(25), undefined],
    ['read.p99 > 10ms', slow(60), 3],
    ['errors < 1%', second(1, 1_000), 3],
    ['errors < 1%', second(1, 100), undefined],
    // It may still rise.
    ['read.max < 1s', second(1, 1_000), undefined],
    ['read.max > 1us', second(1, 1_000), 3],
  ])('%s', (text, one, expected) => {
    expect(endsAt(text, ten(one))).toBe(expected)
  })

  test('about service times waits for the end of a run at a rate, which has response times', () => {
    expect(endsAt('read.service.p99 > 10ms', ten(second(20, 1_000)), true)).toBe(undefined)
    expect(endsAt('read.response.p99 > 10ms', ten(second(20, 1_000)), true)).toBe(3)
  })

  test('about the rate waits for the end of a run whose rate changes', () => {
    const figures = new RunningFigures(kinds, true, true)
    figures.begin()
    for (const one of ten(second(1, 100))) figures.add(one)
    expect(figures.hasCrossed([parseThreshold('rate < 1000')])).toBe(false)
    expect(figures.hasCrossed([parseThreshold('read.mean > 1us')])).toBe(true)
  })

  test('counts earlier runs, as the result does, and waits again in each run', () => {
    const figures = new RunningFigures(kinds, false)
    const crossed = (one: IntervalSample): boolean => {
      figures.add(one)
      return figures.hasCrossed([parseThreshold('errors > 1%')])
    }
    figures.begin()
    expect(ten(second(1, 1_000)).some(crossed)).toBe(false)
    figures.begin()
    const bad = Array.from({ length: 4 }, () => second(1, 950, { errors: 50 }))
    // 50 of 11,000, 100 of 12,000, 150 of 13,000 and 200 of 14,000 operations
    expect(bad.map(crossed)).toEqual([false, false, false, true])
  })
})
