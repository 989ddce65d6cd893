import { describe, expect, test } from 'vitest'
import { crossing, findings } from '../src/report/findings.ts'
import { fixtureResult, fixtureSizes } from './fixture-result.ts'

const result = fixtureResult()

describe('findings', () => {
  test('name the fastest store, flat and growing caches, and what compression costs', () => {
    const text = findings(result).join('\n')
    expect(text).toContain('Reads: disk is fastest at every size.')
    expect(text).toMatch(/A hit of memory takes 3\d\d ns at 100 B and 4\d\d ns at 1 MB, flat in size;/)
    expect(text).toMatch(/A hit of memory-freeze takes .* with a log-log slope of 0\.\d\d/)
    expect(text).toContain('near in front of disk pays at no hit rate.')
    expect(text).toMatch(/gzip at 1 MB: 2.0 times smaller; compressing takes 12\.\d times/)
  })

  test('warn where the runs disagree', () => {
    expect(findings(result).join()).not.toContain('The runs disagree')
    const latency = result.latency.map((series) => ({
      ...series,
      points: series.points.map((point) => ({ ...point, deviationMs: point.meanMs * 0.6 })),
    }))
    expect(findings({ ...result, latency }).at(-1)).toMatch(
      /^The runs disagree: .* more than 60 % of the mean/,
    )
  })

  test('find where a rising curve crosses another', () => {
    const flat = fixtureSizes.map((size) => ({ size, ms: 1 }))
    const rising = fixtureSizes.map((size) => ({ size, ms: size / 31_623 }))
    expect(crossing(rising, flat)).toBe(32_000)
    expect(crossing(flat, rising)).toBeUndefined()
    expect(
      crossing(
        flat.map((p) => ({ ...p, ms: 2 })),
        flat,
      ),
    ).toBeUndefined()
  })
})
