import { describe, expect, test } from 'vitest'
import { joinedResult } from '../../../src/compare/joined.ts'
import { Cell, type Place } from '../../../src/cube/cell.ts'
import { reportPage } from '../../../src/page/page.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { textReport } from '../../../src/page/text-report.ts'
import { formatMs } from '../../../src/report/words.ts'
import { median } from '../../../src/statistics/summary.ts'
import type { SizesResult } from '../../../src/studies/sizes/config.ts'
import { costsOf, fullLatency, meanCostsOf } from '../../../src/studies/sizes/hit-rate.ts'
import { sizes } from '../../../src/studies/sizes/sizes.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import type { AnyStudy } from '../../../src/study/study.ts'
import { fixtureResult, fixtureSizes } from './fixture-result.ts'

const { report } = sizes
const result = fixtureResult()
/** As small as can be, for tests of what stands around the figures. */
const bareResult: SizesResult = {
  ...result,
  rows: result.rows.filter(({ store, dimensions }) => store === 'disk' && dimensions['cache'] === undefined),
}

function at({ rows }: SizesResult, place: Place): Cell {
  return new Cell(rows, {}).at(place)
}

describe('result.json', () => {
  test('is refused with an unknown field, another format or no JSON', () => {
    for (const text of [
      '',
      '{}',
      JSON.stringify({ ...result, more: 1 }),
      JSON.stringify({ ...result, formatVersion: 2 }),
    ]) {
      expect(() => parseResult(sizes, text)).toThrow('The file is not a result.json of unikv bench sizes.')
    }
  })

  test('keeps every run, and no percentile that too few samples carry', () => {
    const point = at(result, { store: 'disk', operation: 'read', mode: 'sequential', inFlight: 1, size: 100 })
    expect(point.runs('service', 'mean')).toHaveLength(4)
    expect(point.figure('service', 'count')).toBe(800)
    expect(point.figure('service', 'p95')).not.toBeNull()
    expect(point.figure('service', 'p99')).toBeNull()
    expect(point.figure('warm-up', 'mean')).not.toBeNull()
  })
})

test('a pause of the machine in one run moves neither figures nor cache tables', () => {
  const rows = result.rows.map((row) =>
    row.run === 2 && row.statistic === 'mean' && row.dimensions['hitRate'] === undefined
      ? { ...row, value: Number(row.value) * 100 }
      : row,
  )
  const noisy: SizesResult = { ...result, rows }
  expect(report.tables(noisy)[0]).toEqual(report.tables(result)[0])
  const ofCaches = ({ title }: { readonly title: string }): boolean => title.includes(': extrapolated from')
  expect(report.summary(noisy).filter(ofCaches)).toEqual(report.summary(result).filter(ofCaches))
})

describe('a result without some parts', () => {
  test('leaves out points that were not reached instead of showing zero', () => {
    const isLeft = ({ store, dimensions }: SizesResult['rows'][number]): boolean =>
      store !== 'disk' || dimensions['mode'] !== 'sequential' || Number(dimensions['size']) <= 1_000
    const cut: SizesResult = { ...result, rows: result.rows.filter(isLeft) }
    const [table] = report.tables(cut)
    expect(table!.rows[2]!.slice(0, 3)).toEqual([10_000, null, null])
    expect(report.figures(cut).length).toBe(report.figures(result).length)
  })

  test('interrupted or failed says so on the page', () => {
    const page = (status: SizesResult['status'], error: string | null = null): string =>
      reportPage(sizes, { ...bareResult, status, error })
    expect(page('interrupted')).toContain('This run was interrupted')
    const failed = page('failed', 'The store <b> went away.')
    expect(failed).toContain('This run failed: The store &lt;b&gt; went away.')
  })
})

describe('textReport', () => {
  test('extrapolates hit rates with the full cost of misses, beside those that were measured', () => {
    const rows = (shown: SizesResult, how: string): string[][] => {
      const heading = `read sql behind near: ${how}.*\\n(?:  .*\\n)?.*\\n.*\\n`
      const [, table = ''] = new RegExp(`${heading}((?:.*\\d.*\\n)*)`).exec(textReport(sizes, shown)) ?? []
      return table.split('\n').map((line) => line.split(/ {2,}/))
    }
    const near = { store: 'sql', cache: 'near', operation: 'read', size: 100 }
    const costs = costsOf(at(result, near))
    const full = result.config.hitRates.map((rate) => formatMs(fullLatency(rate, costs)))
    expect(rows(result, 'extrapolated')[0]?.slice(2, 7)).toEqual(full)
    const beside = result.config.hitRates.map((hitRate) => {
      const measured = median(at(result, { ...near, hitRate }).runs('service', 'mean'))
      return [formatMs(fullLatency(hitRate, meanCostsOf(at(result, near)))), formatMs(measured)]
    })
    const shown = rows(result, 'means').slice(0, beside.length)
    expect(shown.map((row) => row.slice(-3, -1))).toEqual(beside)
    expect(shown[2]?.at(-1)).toMatch(/^[+−][\d.]+ %$/)
    expect(textReport(sizes, fixtureResult({ measureHitRates: false }))).not.toMatch(
      /paper|behind near: means/,
    )
  })
})

describe('names of files', () => {
  test('keep what would be one file apart', () => {
    const source = result.rows.filter(
      ({ store, dimensions }) => store === 'disk' && dimensions['cache'] === 'memory',
    )
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
      rows: [
        ...result.rows.filter(({ dimensions }) => dimensions['cache'] === undefined),
        ...pairs.flatMap(([store, cache]) =>
          source.map((row) => ({ ...row, store: store!, dimensions: { ...row.dimensions, cache: cache! } })),
        ),
      ],
    }
    const all = report.tables(colliding).map(({ name, title }) => [name, title] as const)
    expect(new Set(all.map(([name]) => name)).size).toBe(all.length)
    expect(new Set(all.map(([, title]) => title)).size).toBe(all.length)
    const drawn = report.figures(colliding).filter(({ group }) => group === 'cache')
    expect(new Set(drawn.map(({ id }) => id)).size).toBe(pairs.length)
    for (const { title, tables: own } of drawn) {
      const [store, cache] = title.split(' behind ')
      for (const one of own) expect(one.title).toContain(`of ${store} behind the cache ${cache} by`)
    }
  })
})

test('joined with another result, keeps the encodings of each apart', () => {
  const named = ['a', 'b'].map((name) => ({ name, study: sizes as unknown as AnyStudy, result }))
  const joined = joinedResult(named) as unknown as SizesResult
  const titles = report.summary(joined).map(({ title }) => title)
  for (const name of ['a', 'b']) {
    expect(titles).toContain(`compression gzip ${name}, medians and means`)
    expect(titles).toContain(`encryption aes-128-gcm ${name}, medians and means`)
  }
  expect(joined.stores.map(({ name }) => name)).toEqual(['disk a', 'sql a', 'disk b', 'sql b'])
})

test('joined with a result behind other caches, keeps those of each apart, with no ratio between results', () => {
  const renamed = (from: SizesResult, cache: string): SizesResult => ({
    ...from,
    caches: from.caches.slice(0, 1).map((one) => ({ ...one, name: cache })),
    rows: from.rows
      .filter(({ dimensions }) => (dimensions['cache'] ?? 'memory') === 'memory')
      .map((row) =>
        row.dimensions['cache'] === undefined ? row : { ...row, dimensions: { ...row.dimensions, cache } },
      ),
  })
  const bare: SizesResult = {
    ...result,
    caches: [],
    rows: result.rows.filter(({ dimensions, store }) => dimensions['cache'] === undefined && store !== 'sql'),
  }
  const study = sizes as unknown as AnyStudy
  const named = [bare, renamed(result, 'near'), renamed(result, 'far')].map((one, i) => {
    return { name: `r${i}`, study, result: one }
  })
  const joined = joinedResult(named) as unknown as SizesResult
  expect(joined.caches.map(({ name }) => name)).toEqual(['near r1', 'far r2'])
  const captions = report.figures(joined).map(({ title }) => title)
  expect(captions).toEqual(
    expect.arrayContaining(['disk r1 behind near r1', 'sql r1 behind near r1', 'disk r2 behind far r2']),
  )
  expect(captions.filter((caption) => caption.includes('disk r0 behind'))).toEqual([])
  const reads = report.summary(joined).find(({ title }) => title === 'read, one call at a time')
  const ratios = reads?.rows.slice(0, 5).map((line) => [line[1], line[3]])
  expect(ratios?.find(([store]) => store === 'disk r0')).toEqual(['disk r0', ''])
  const own = report.summary(result).find(({ title }) => title === 'read, one call at a time')?.rows
  for (const [store, ratio] of ratios?.slice(1) ?? [])
    expect(ratio).toBe(own?.find((line) => line[1] === store?.split(' ')[0])?.[3])
  expect(resultFiles(sizes, joined).get('report.html')).toContain('far r2')
})

test('a twin of a cache is folded on a page of several results, too', () => {
  const named = ['a', 'b'].map((name) => ({ name, study: sizes as unknown as AnyStudy, result }))
  const folded = (one: SizesResult) => report.figures(one).filter(({ foldedAs }) => foldedAs !== undefined)
  const joined = joinedResult(named) as unknown as SizesResult
  expect(folded(result).length).toBeGreaterThan(0)
  expect(folded(joined)).toHaveLength(2 * folded(result).length)
})

const few = fixtureResult({ runs: 2 })

test.each(['hit', 'miss', 'without cache', 'encode', 'sequential'])(
  'rows without %s leave dashes, and no text that is not a number',
  (left) => {
    const rows = few.rows.filter(
      ({ store, dimensions: { way, operation, mode, size } }) =>
        ![way, operation].includes(left) && !(mode === left && store === 'sql' && size === fixtureSizes[0]),
    )
    expect(rows.length).toBeLessThan(few.rows.length)
    const cut: SizesResult = { ...few, rows }
    const texts = [...resultFiles(sizes, cut)].flatMap(([name, text]) =>
      name.endsWith('.dat') ? [] : [text],
    )
    texts.push(textReport(sizes, cut))
    expect(texts.join('')).not.toMatch(/NaN|undefined|Infinity/)
  },
)
