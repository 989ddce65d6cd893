import { describe, expect, test } from 'vitest'
import { csvText, datText } from '../src/report/column-text.ts'
import { figures } from '../src/report/figure.ts'
import { FileNames } from '../src/report/file-names.ts'
import { logAxis } from '../src/report/log-axis.ts'
import { resultFiles } from '../src/report/result-files.ts'
import { tables } from '../src/report/table.ts'
import { markdownReport, textReport } from '../src/report/text-report.ts'
import { formatCount, formatDuration, formatInterval, formatMs } from '../src/report/units.ts'
import type { SizesResult } from '../src/sizes/result.ts'
import { parseSizesResult } from '../src/sizes/result-schema.ts'
import { fixtureResult, fixtureSizes } from './fixture-result.ts'

const result = fixtureResult()
const files = resultFiles(result)

/** Rows of a file as any tool reads them: comment lines out, split on tabs. */
function rowsOf(name: string): number[][] {
  const lines = files
    .get(name)!
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => line.split('\t').map(Number))
}

describe('result.json', () => {
  test('is read back as it was written', () => {
    expect(parseSizesResult(files.get('result.json')!)).toEqual(result)
  })

  test('is refused with an unknown field, another format or no JSON', () => {
    for (const text of [
      '',
      '{}',
      JSON.stringify({ ...result, more: 1 }),
      JSON.stringify({ ...result, formatVersion: 1 }),
    ]) {
      expect(() => parseSizesResult(text)).toThrow('This is no result.json of unikv bench sizes.')
    }
  })

  test('keeps every run, and no percentile that too few samples carry', () => {
    const point = result.latency[0]!.points[0]!
    expect(point.runsMs).toHaveLength(4)
    expect(point.operations).toBe(800)
    expect(point.p95Ms).not.toBeNull()
    expect(point.p99Ms).toBeNull()
    expect(point.warmUpMs).not.toBeNull()
  })
})

describe('.dat files', () => {
  test('are there for every measurement', () => {
    const names = [...files.keys()].filter((name) => name.endsWith('.dat')).map((name) => name.slice(0, -4))
    const caches = ['memory', 'memory-freeze', 'near']
    const cacheFiles = ['disk', 'sql'].flatMap((store) =>
      caches.flatMap((cache) => ['', '-full', '-measured'].map((model) => `cache-${store}-${cache}${model}`)),
    )
    const latency = ['read', 'write', 'delete'].flatMap((name) => [
      `${name}-latency`,
      `${name}-latency-parallel`,
    ])
    const codecs = ['encryption-aes-128-gcm', 'compression-gzip', 'compression-brotli']
    expect(names.toSorted()).toEqual([...cacheFiles, ...latency, ...codecs].toSorted())
  })

  test('have # headers with names and units, and strictly ascending sizes', () => {
    for (const [name, content] of files) {
      if (!name.endsWith('.dat')) continue
      const head = content.split('\n').filter((line) => line.startsWith('#'))
      const columns = head.at(-1)!.slice(2).split('\t')
      expect(columns[0]).toBe('size_bytes')
      for (const column of columns.slice(1)) expect(column).toMatch(/_ms$|^ratio_/)
      const rows = rowsOf(name)
      expect(rows.map(([size]) => size)).toEqual(fixtureSizes)
      for (const row of rows) expect(row).toHaveLength(columns.length)
    }
  })

  test('of a cache fall with the hit rate, and 50 % is the mean of the ends', () => {
    for (const name of ['cache-disk-memory.dat', 'cache-sql-memory.dat', 'cache-disk-memory-full.dat']) {
      for (const [, ...row] of rowsOf(name)) {
        expect(row).toHaveLength(5)
        expect(row.every((ms, i) => i === 0 || ms < row[i - 1]!)).toBe(true)
        const mean = (row[0]! + row[4]!) / 2
        expect(Math.abs(row[2]! - mean) / mean).toBeLessThan(1e-9)
      }
    }
  })

  test('say NaN where nothing was measured, and their CSV leaves the field empty', () => {
    const table = {
      key: 't',
      name: 't',
      title: 'T',
      columns: ['size_bytes', 'a_ms'],
      rows: [
        [1, null],
        [2, 0.5],
      ],
    }
    expect(datText(table)).toBe('# T\n# size_bytes\ta_ms\n1\tNaN\n2\t0.5\n')
    expect(csvText(table)).toBe('size_bytes,a_ms\r\n1,\r\n2,0.5\r\n')
  })

  test('have the same numbers as their CSV files', () => {
    for (const name of files.keys()) {
      if (!name.endsWith('.dat')) continue
      const csv = files.get(name.replace('.dat', '.csv'))!.trim().split('\r\n').slice(1)
      expect(csv.map((line) => line.split(',').map(Number))).toEqual(rowsOf(name))
    }
  })
})

describe('a result without some parts', () => {
  test('of one run has no half-widths and still draws', () => {
    const one = resultFiles(fixtureResult({ runs: 1 }))
    expect(one.get('read-latency.dat')).toContain('NaN')
    expect(one.get('report.html')).toContain('1 run a point')
  })

  test('of one call at a time has no parallel files', () => {
    const sequential = resultFiles(fixtureResult({ parallel: 1 }))
    expect([...sequential.keys()].filter((name) => name.includes('parallel'))).toEqual([])
  })

  test('leaves out points that were not reached instead of showing zero', () => {
    const cut: SizesResult = {
      ...result,
      latency: result.latency.map((one, i) => ({
        ...one,
        points: i === 0 ? one.points.slice(0, 2) : one.points,
      })),
    }
    const [table] = tables(cut)
    expect(table!.rows[2]!.slice(0, 3)).toEqual([10_000, null, null])
    expect(figures(cut).length).toBe(figures(result).length)
  })

  test('interrupted or failed says so on the page', () => {
    expect(resultFiles(fixtureResult({}, 'interrupted')).get('report.html')).toContain(
      'This run was interrupted',
    )
    expect(resultFiles(fixtureResult({}, 'failed')).get('report.html')).toContain(
      'This run failed: The store &lt;b&gt; went away.',
    )
  })
})

describe('textReport', () => {
  const text = textReport(result)

  test('prints the setup, one table a measurement, and never a line beyond the terminal', () => {
    expect(text).toContain('store disk: file:./d; version and settings not told; writes are flushed to disk')
    expect(text).toContain('repeat: npx unikv bench sizes')
    expect(text).toContain('read, one call at a time\nsize    store   median  times the fastest')
    expect(text).toContain('compression gzip')
    const many = fixtureResult({ hitRates: Array.from({ length: 21 }, (_, i) => i / 20) })
    for (const width of [60, 80])
      for (const line of textReport(many, width).split('\n')) expect(line.length).toBeLessThanOrEqual(width)
  })

  test('shows measured hit rates where there are some, else those with the full cost of misses', () => {
    const row = (shown: SizesResult): string[] => {
      const [, table = ''] = /read sql behind near, .*\n.*\n.*\n(.*)\n/.exec(textReport(shown)) ?? []
      return table.split(/ {2,}/)
    }
    const point = result.cache.find(({ store, cache }) => store === 'sql' && cache === 'near')!.points[0]!
    expect(row(result).slice(2, 7)).toEqual(point.measured.map(({ meanMs }) => formatMs(meanMs)))
    const computed = fixtureResult({ measureHitRates: false })
    const full = computed.cache.find(({ store, cache }) => store === 'sql' && cache === 'near')!.points[0]!
    expect(row(computed).slice(2, 7)).toEqual(full.full.map(({ ms }) => formatMs(ms)))
    expect(row(computed)[2]).toBe(formatMs(full.miss.meanMs))
    expect(textReport(computed)).not.toContain('paper')
  })

  test('says of wide intervals and of few runs that there are too few', () => {
    expect(formatInterval(0.115, 0.503)).toBe('115 µs (too few runs)')
    expect(fixtureResult({ runs: 2 }).latency[0]!.points[0]!.halfWidthMs).toBeNull()
  })

  test('is Markdown as well', () => {
    const markdown = markdownReport(result)
    expect(markdown).toContain(
      '| size | store | median | times the fastest | p99 | mean ± 95 % CI |\n| --- | --- | --: |',
    )
    expect(markdown).toMatch(/## What this run shows\n\n- Reads, one at a time/)
    expect(markdown).not.toMatch(/undefined|NaN/)
  })
})

describe('names of files', () => {
  const files = new FileNames()
  test('are given once, also where capitals do not count', () => {
    const names = ['cache-a-b-c', 'cache-a-b-c', 'cache-A-b-c', 'other'].map((name) => files.claim(name))
    expect(names).toEqual(['cache-a-b-c', 'cache-a-b-c~2', 'cache-A-b-c~3', 'other'])
  })

  test('keep what would be one file apart', () => {
    const [source] = result.cache
    const pairs = [
      ['a-b', 'c'],
      ['a', 'b-c'],
      ['a', 'x'],
      ['a', 'x-full'],
      ['a', 'x-measured'],
    ]
    const colliding: SizesResult = {
      ...result,
      caches: ['c', 'b-c', 'x', 'x-full', 'x-measured'].map((name) => ({ ...result.caches[0]!, name })),
      cache: pairs.map(([store, cache]) => ({ ...source!, store: store!, cache: cache! })),
    }
    const all = tables(colliding).map(({ name, title }) => [name, title] as const)
    expect(new Set(all.map(([name]) => name)).size).toBe(all.length)
    expect(new Set(all.map(([, title]) => title)).size).toBe(all.length)
    const drawn = figures(colliding).filter(({ group }) => group === 'cache')
    expect(new Set(drawn.map(({ id }) => id)).size).toBe(pairs.length)
    for (const { title, tables: own } of drawn) {
      const [store, cache] = title.split(' behind ')
      for (const one of own) expect(one.title).toContain(`of ${store} behind the cache ${cache} by`)
    }
  })
})

test('times and counts are written for people', () => {
  expect([0.0000005, 0.0004, 0.9996, 0.012345, 1.2345, 12.345, 999.6, 61_000].map(formatMs)).toEqual([
    '0.50 ns',
    '400 ns',
    '1.00 ms',
    '12.3 µs',
    '1.23 ms',
    '12.3 ms',
    '1.00 s',
    '61.0 s',
  ])
  expect(formatInterval(0.0123, 0.0004)).toBe('12.3 ± 0.4 µs')
  expect(formatInterval(0.0123, null)).toBe('12.3 µs')
  expect([3.456, 999, 1_234, 12_345, 2_000_000].map(formatCount)).toEqual([
    '3.46',
    '999',
    '1,230',
    '12,300',
    '2,000,000',
  ])
  expect([400, 59_000, 185_000, 3_720_000].map(formatDuration)).toEqual([
    '0 s',
    '59 s',
    '3 min 05 s',
    '1 h 02 min',
  ])
})

test('logAxis holds every value between round ends', () => {
  const axis = logAxis([0.00034, 0.9])
  expect([axis.low, axis.high]).toEqual([0.0002, 2])
  expect(axis.ticks).toEqual([0.001, 0.01, 0.1, 1])
  expect(axis.place(0.0002)).toBe(0)
  expect(axis.place(2)).toBeCloseTo(1, 12)
  expect(logAxis([3, 4]).ticks).toEqual([2, 5])
  expect(logAxis([]).ticks.length).toBeGreaterThan(0)
})
