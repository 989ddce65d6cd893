import { describe, expect, test } from 'vitest'
import { eachRun, rowsAt } from '../../../src/cube/row.ts'
import type { SizesResult } from '../../../src/studies/sizes/config.ts'
import { crossing, findings } from '../../../src/studies/sizes/report/findings.ts'
import { fixtureResult, fixtureSizes } from './fixture-result.ts'

const result = fixtureResult()

/** A result whose stores take these times in these runs, at one size or at several. */
function measured(stores: Readonly<Record<string, readonly (readonly number[])[]>>): SizesResult {
  const rows = ['sequential', 'parallel'].flatMap((mode) =>
    Object.entries(stores).flatMap(([store, sizes]) =>
      sizes.flatMap((runsMs, index) => {
        const dimensions = { operation: 'write', mode, inFlight: 16, size: fixtureSizes[index]! }
        return rowsAt({ store, dimensions }, [
          ...eachRun('service', 'ms', runsMs, 'mean'),
          ...eachRun('service', 'ms', runsMs, 'p50'),
        ])
      }),
    ),
  )
  const infos = Object.keys(stores).map((name) => ({ ...result.stores[0]!, name }))
  return { ...result, rows, stores: infos, caches: [] }
}

describe('findings', () => {
  test('say who differs from whom and by how much, one at a time and in flight', () => {
    const found = findings(
      measured({
        file: [[2.1, 2.6, 1.9]],
        lmdb: [[0.6, 0.7, 0.55]],
        redis: [[0.17, 0.2, 0.21]],
        mysql: [[0.2, 0.18, 0.19]],
      }),
    )
    const slower =
      /redis and mysql cannot be told apart; lmdb takes 3\.\d times as long \(95 % CI [\d.]+ to [\d.]+\) and file takes 1\d times as long/
    expect(found[0]).toMatch(/^Writes, one at a time, by the median\. 100 B: /)
    expect(found[0]?.replace('mysql and redis', 'redis and mysql')).toMatch(slower)
    expect(found[1]).toMatch(/^Writes, 16 in flight, by calls a second\. 100 B: /)
    expect(found[1]?.replace('mysql and redis', 'redis and mysql')).toMatch(slower)
  })

  test('compare over sizes, and warn where runs disagree too much to tell', () => {
    const [sizes] = findings(
      measured({
        a: [
          [1, 1.01, 0.99],
          [2, 2.02, 1.98],
          [5, 5.1, 5],
        ],
        b: [
          [2, 2.02, 1.98],
          [6, 6.1, 6],
          [5, 5, 5.1],
        ],
      }),
    )
    expect(sizes).toMatch(
      /100 B to 1 KB: a is fastest; b takes 2\.0 to 3\.0 times as long\. 10 KB: a and b cannot/,
    )
    const [wild] = findings(measured({ a: [[1, 1, 1]], b: [[0.9, 9, 4]] }))
    expect(wild).toMatch(/cannot be told apart, since the runs disagree \(they differ by up to 3\.\d times\)/)
  })

  test('claim nothing from two runs', () => {
    const [only] = findings(measured({ a: [[1, 1.01]], b: [[8, 8.1]] }))
    expect(only).toBe('There are too few runs to compare the stores: three are needed (--runs 3 or more).')
  })

  test('name what acknowledged writes are worth where stores differ', () => {
    expect(findings(result).join('\n')).toContain(
      'disk: flushed to disk; sql: at least buffered, survives a crash of the process but not of the machine, as declared.',
    )
  })

  test('tell what caches and compression cost', () => {
    const text = findings(result).join('\n')
    expect(text).toMatch(
      /A hit in memory takes 3\d\d ns at 100 B and 4\d\d ns at 1 MB, about the same at every/,
    )
    expect(text).not.toContain('slope')
    expect(text).toContain('near in front of disk pays at no hit rate.')
    expect(text).toMatch(/gzip at 1 MB: 2.0 times smaller; compressing takes 1\d times/)
  })

  test('warn where the runs disagree', () => {
    expect(findings(result).join()).not.toContain('The runs disagree')
    const noisy = measured({ a: [[1, 0.4, 1.6]] })
    expect(findings(noisy).at(-1)).toMatch(/^The runs disagree: .* more than 60 % of the mean/)
  })

  test('find where a rising curve crosses another', () => {
    const flat = fixtureSizes.map((size) => ({ size, ms: 1 }))
    const rising = fixtureSizes.map((size) => ({ size, ms: size / 31_623 }))
    expect(crossing(rising, flat)).toBe(32_000)
    expect(crossing(flat, rising)).toBeUndefined()
    const high = flat.map((point) => ({ ...point, ms: 2 }))
    expect(crossing(high, flat)).toBeUndefined()
  })
})
