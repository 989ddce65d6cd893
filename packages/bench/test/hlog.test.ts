import { Histogram } from '@unikv/core/histogram'
import { build, decodeFromCompressedBase64, type JsHistogram } from 'hdr-histogram-js'
import { describe, expect, test } from 'vitest'
import { fastRandom } from '../src/random/random.ts'
import { hlog } from '../src/statistics/hlog.ts'

/** The histogram of the last line, read by HdrHistogram's own port to JavaScript. */
const decoded = (histogram: Histogram): JsHistogram =>
  decodeFromCompressedBase64(
    hlog(0, [{ startMs: 0, lengthMs: 1_000, histogram }])
      .trimEnd()
      .split(',')
      .at(-1)!,
    64,
  ) as JsHistogram

/** Whole numbers of every magnitude. */
const values = (count: number, seed: number): number[] => {
  const random = fastRandom(seed)
  return Array.from({ length: count }, () => Math.floor(Math.exp(random.next() * 28)))
}

describe('hlog', () => {
  test.each([
    [4, 1],
    [7, 2],
    [10, 3],
    [14, 4],
  ] as const)(
    'has the buckets and counts of HdrHistogram: %i bits are %i digits',
    (precisionBits, digits) => {
      const histogram = new Histogram({ precisionBits })
      const other = build({
        highestTrackableValue: 2 ** 42 - 1,
        numberOfSignificantValueDigits: digits,
        bitBucketSize: 64,
      }) as JsHistogram
      for (const value of [0, 1, 2_047, 2_048, 2 ** 32, 2 ** 42 - 1, ...values(2_000, 1)]) {
        histogram.record(value)
        other.recordValue(value)
      }
      const found = decoded(histogram)
      expect(found.numberOfSignificantValueDigits).toBe(digits)
      expect(countsOf(found)).toEqual(countsOf(other))
    },
  )

  test.each([1, 6, 12, 16])('keeps values within the precision of %i bits', (precisionBits) => {
    const histogram = new Histogram({ precisionBits })
    for (const value of values(5_001, precisionBits)) histogram.record(value)
    const found = decoded(histogram)
    expect(found.totalCount).toBe(5_001)
    for (const percent of [1, 25, 50, 90, 99, 99.9]) {
      const relative = found.getValueAtPercentile(percent) / histogram.percentile(percent)
      expect(Math.abs(relative - 1)).toBeLessThanOrEqual(2 ** -precisionBits)
    }
  })

  test('keeps large counts, and an empty histogram', () => {
    const data = new Histogram().data()
    data.counts[3] = 4_000_000_000
    expect(decoded(Histogram.from({ ...data, count: 4e9, min: 3, max: 3, sum: 12e9 })).totalCount).toBe(4e9)
    expect(decoded(new Histogram()).totalCount).toBe(0)
  })

  test('writes the lines of the log format', () => {
    const histogram = new Histogram()
    histogram.record(2_769_000)
    const text = hlog(Date.UTC(2026, 10, 26), [
      { tag: 'read, twice', startMs: 127, lengthMs: 1_007, histogram },
      { startMs: 1_134, lengthMs: 999.9, histogram: new Histogram() },
    ])
    const [version, start, header, tagged, empty, end] = text.split('\n')
    expect(version).toBe('#[Histogram log format version 1.3]')
    expect(start).toBe('#[StartTime: 1795651200.000 (seconds since epoch), 2026-11-26T00:00:00.000Z]')
    expect(header).toBe('"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"')
    expect(tagged).toMatch(/^Tag=read--twice,0\.127,1\.007,2\.769,HISTFAAAA[\w+/=]+$/)
    expect(empty).toMatch(/^1\.134,1\.000,0\.000,HISTFAAAA[\w+/=]+$/)
    expect(end).toBe('')
  })
})

function countsOf(histogram: JsHistogram): (readonly [number, number])[] {
  return Array.from(
    { length: histogram.countsArrayLength },
    (_, i) => [i, histogram.getCountAtIndex(i)] as const,
  ).filter(([, count]) => count > 0)
}
