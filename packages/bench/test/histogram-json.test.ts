import { Histogram, type HistogramJson, histogramJson, histogramOf } from '@unikv/core/histogram'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { histogramJsonSchema } from '../src/statistics/histograms.ts'

/** As a result file does it: text in between, and the reader checks it. */
const reread = (histogram: Histogram): Histogram =>
  histogramOf(histogramJsonSchema.parse(JSON.parse(JSON.stringify(histogramJson(histogram)))))

const counted = (values: readonly number[], precisionBits = 10): Histogram => {
  const histogram = new Histogram({ precisionBits })
  for (const value of values) histogram.record(value)
  return histogram
}

describe('histogramJson', () => {
  test('comes back from a file without loss, overflows and an empty one included', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e13, noNaN: true })),
        fc.integer({ min: 1, max: 10 }),
        (values, bits) => {
          const { counts, ...figures } = counted(values, bits).data()
          const { counts: found, ...others } = reread(counted(values, bits)).data()
          expect(others).toEqual(figures)
          expect(Buffer.compare(Buffer.from(found.buffer), Buffer.from(counts.buffer))).toBe(0)
        },
      ),
    )
  })

  test('merges as the histograms themselves do', () => {
    const odd = counted([1, 3_000_001, 5e9])
    const even = counted([2, 4_000_000])
    const merged = reread(odd)
    merged.merge(reread(even))
    odd.merge(even)
    expect(histogramJson(merged)).toEqual(histogramJson(odd))
  })

  test('holds only buckets that counted something', () => {
    expect(histogramJson(counted([7, 7, 2_050]))).toEqual({
      precisionBits: 10,
      highest: 2 ** 42 - 1,
      count: 3,
      sum: 2_064,
      min: 7,
      max: 2_050,
      overflows: 0,
      buckets: [
        [7, 2],
        [2_049, 1],
      ],
    })
  })

  test('keeps counts past 2^32', () => {
    const json: HistogramJson = {
      ...histogramJson(counted([1])),
      count: 2 ** 32 + 5,
      buckets: [[1, 2 ** 32 + 5]],
    }
    expect(reread(histogramOf(json)).percentile(50)).toBe(1)
    expect(histogramJson(histogramOf(json))).toEqual(json)
  })

  test('refuses what contradicts itself, and what JSON cannot hold', () => {
    const good = histogramJson(counted([1, 2]))
    const bad: readonly (readonly [Partial<HistogramJson>, RegExp])[] = [
      [{ count: 3 }, /hold 2 values, but its count is 3/],
      [
        {
          buckets: [
            [2, 1],
            [1, 1],
          ],
        },
        /must rise/,
      ],
      [
        {
          buckets: [
            [1, 1],
            [1e9, 1],
          ],
        },
        /got number 1000000000/,
      ],
      [{ min: null }, /exactly if/],
      [{ highest: 5 }, /highest must be/],
    ]
    for (const [change, message] of bad) {
      expect(() => histogramOf({ ...good, ...change })).toThrow(message)
      expect(histogramJsonSchema.safeParse({ ...good, ...change }).error?.issues[0]?.message).toMatch(message)
    }
    expect(histogramJsonSchema.safeParse({ ...good, surprise: 1 }).success).toBe(false)
    expect(() => histogramJson(counted([Infinity]))).toThrow(RangeError)
  })
})
