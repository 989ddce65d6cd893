import { describe, expect, test } from 'vitest'
import { Cell } from '../../../src/cube/cell.ts'
import { fastRandom } from '../../../src/random/random.ts'
import { aggregate } from '../../../src/studies/overhead/aggregate.ts'
import type { OverheadResult } from '../../../src/studies/overhead/config.ts'
import { Budget, type OverheadRecord } from '../../../src/studies/overhead/overhead-runner.ts'
import { measuredOn, operations, plan, sidesOf } from '../../../src/studies/overhead/plan.ts'
import { published, publishedByStore } from '../../../src/studies/overhead/report/further-tables.ts'
import { report } from '../../../src/studies/overhead/report/report.ts'
import { type Added, addedIn } from '../../../src/studies/overhead/report/words.ts'
import { middleOf, trendOf } from '../../../src/studies/overhead/trend.ts'

test('the published tables agree: one native time explains a column, and table 8 repeats the shares of one node', () => {
  expect(published).toHaveLength(9)
  for (const operation of operations)
    for (const nodes of [1, 3, 5]) {
      const own = published.filter((one) => one.nodes === nodes).map(({ added }) => added[operation])
      // A share of so many per cent, within one point.
      const most = Math.min(...own.map(([ms, percent]) => ms / (percent - 1.01)))
      const least = Math.max(...own.map(([ms, percent]) => ms / (percent + 1.01)))
      expect(most, `${operation} on ${nodes}`).toBeGreaterThan(least)
    }
  const onCassandra = publishedByStore.filter(([, store]) => store === 'Cassandra')
  expect(onCassandra.map(([middleware, , ...percents]) => [middleware, percents])).toEqual(
    published
      .filter(({ nodes }) => nodes === 1)
      .map(({ middleware, added }) => [middleware, operations.map((one) => added[one][1])]),
  )
})

const config = {
  layers: [] as unknown[],
  beside: [],
  delayMs: 0,
  mbits: null,
  budgetMs: null,
  volumes: [1_000, 2_000, 4_000, 8_000],
  callers: 1,
  valueSize: 100,
  durationMs: 1,
  warmupMs: 1,
  runs: 9,
  seed: 1,
  timeoutMs: 1,
  allowNonEmpty: false,
}
const subject = {
  config,
  stores: [{ name: 'redis', url: 'redis://h', store: undefined as never }],
  caches: [],
  points: [],
}

/** Records of planted times: a native call of 1 ms, a cost of `addMs`, noise, and one run that was disturbed. */
function records(addMs: (volume: number) => number): readonly OverheadRecord[] {
  return plan(subject).map((cell) => {
    if (cell.measured === null) return { cell, sample: null }
    const noise = Math.sin(cell.run * 7 + cell.volume) / 100
    const disturbed = cell.run === 4 && cell.measured.side === 'unikv' ? 500 : 0
    const p50Ms = cell.measured.side === 'native' ? 1 : 1 + addMs(cell.volume) + noise + disturbed
    return { cell, sample: { calls: 10, meanMs: p50Ms, p50Ms, p99Ms: 2 * p50Ms } }
  })
}

describe('a planted overhead is found, in spite of a disturbed run:', () => {
  test.each([
    ['constant', () => 0.2, 'constant', 0],
    ['growing by 0.1 ms for each doubling', (volume: number) => 0.1 * Math.log2(volume / 500), 'grows', 0.1],
    ['falling', (volume: number) => 1 - 0.1 * Math.log2(volume / 500), 'falls', -0.1],
  ] as const)('%s', (_, addMs, verdict, slope) => {
    const { rows, trends } = aggregate(subject, records(addMs))
    const all = new Cell(rows, {})
    for (const records of config.volumes)
      for (const operation of operations) {
        const place = all.at({ records, operation })
        expect(place.valuesOf('side')).toEqual(['native', 'unikv'])
        expect(addedIn(place.at({ side: 'native' }))).toBe(null)
        const { median, low, high, percent } = addedIn(place.at({ side: 'unikv' })) as Added
        expect(Math.abs(median - addMs(records))).toBeLessThan(0.02)
        expect(Math.abs(percent - 100 * addMs(records))).toBeLessThan(2)
        expect(low).toBeLessThanOrEqual(median)
        expect(high).toBeLessThan(addMs(records) + 0.02)
      }
    expect(trends.map((trend) => trend.verdict)).toEqual(Array(4).fill(verdict))
    for (const { slopeMs } of trends) expect(Math.abs(slopeMs - slope)).toBeLessThan(0.01)
  })

  test('runs that were not measured are left out', () => {
    const some = records(() => 0.2).filter(({ cell }) => cell.volume === 1_000 && cell.run < 3)
    const { rows, trends } = aggregate(subject, some)
    const all = new Cell(rows, {})
    expect([all.valuesOf('records'), all.valuesOf('operation')]).toEqual([[1_000], operations])
    for (const operation of operations)
      expect(addedIn(all.at({ records: 1_000, operation, side: 'unikv' }))?.low).toBeNull()
    expect(trends).toEqual([])
  })
})

const threeSides = { ...subject, config: { ...config, layers: ['json'] } }

test('another library is a side of the stores over which it is known', () => {
  const beside = { layers: [], beside: ['keyv', 'unstorage'] as const }
  expect(sidesOf(beside, { url: 'redis://h' })).toEqual(['native', 'unikv', 'keyv', 'unstorage'])
  expect(sidesOf(beside, { url: 'postgres://h/d' })).toEqual(['native', 'unikv', 'keyv'])
  expect(sidesOf(beside, { url: 'cassandra://h' })).toEqual(['native', 'unikv'])
})

test('stores whose server finds documents are searched, by native statements and unikv alone', () => {
  const url = 'postgres://h/d'
  const both = {
    ...subject,
    config: { ...config, beside: ['keyv' as const], volumes: [1_000] },
    stores: [{ name: 'postgres', url, store: undefined as never }],
  }
  expect(measuredOn(both.config, { url })).toEqual([
    ...operations.map((operation) => ({ operation, sides: ['native', 'unikv', 'keyv'] })),
    { operation: 'search', sides: ['native', 'unikv'] },
  ])
  const measured = plan(both).map((cell) => {
    const p50Ms = cell.measured?.side === 'native' ? 1 : 1.05
    return { cell, sample: cell.measured === null ? null : { calls: 1, meanMs: p50Ms, p50Ms, p99Ms: p50Ms } }
  })
  const result = { ...aggregate(both, measured), config: both.config } as unknown as OverheadResult
  const search = new Cell(result.rows, {}).at({ records: 1_000, operation: 'search' })
  expect(search.valuesOf('side')).toEqual(['native', 'unikv'])
  expect(addedIn(search.at({ side: 'unikv' }))?.percent).toBeCloseTo(5)
  expect(report.findings(result).join(' ')).toMatch(
    /search 50 µs \(5.0 %\).*postgres: missing: search by keyv, which has no queries by fields here/,
  )
})

test('each side begins as often as the others, in each operation', () => {
  for (const one of [subject, threeSides]) {
    const count = sidesOf(one.config, { url: 'redis://h' }).length
    const first = plan({ ...one, config: { ...one.config, runs: 11 } })
      .filter(({ measured }) => measured !== null)
      .filter((_, i) => i % count === 0)
    for (const operation of operations) {
      const own = first.filter(({ measured }) => measured?.operation === operation)
      for (const side of sidesOf(one.config, { url: 'redis://h' }))
        expect(own.filter(({ measured }) => measured?.side === side)).toHaveLength(own.length / count)
    }
  }
})

test('a third side has costs, trends and columns of its own', () => {
  const costs = { native: 1, unikv: 1.2, layers: 1.5 }
  const measured = plan(threeSides).map((cell) => {
    const p50Ms = cell.measured === null ? 0 : costs[cell.measured.side as keyof typeof costs]
    return { cell, sample: cell.measured === null ? null : { calls: 1, meanMs: p50Ms, p50Ms, p99Ms: p50Ms } }
  })
  const body = aggregate(threeSides, measured)
  const first = new Cell(body.rows, {}).at({ records: 1_000, operation: 'insert' })
  expect(['native', 'unikv', 'layers'].map((side) => addedIn(first.at({ side }))?.median.toFixed(1))).toEqual(
    [undefined, '0.2', '0.5'],
  )
  expect(body.trends.map(({ side }) => side)).toEqual(Array(4).fill(['unikv', 'layers']).flat())
  const tables = report.tables({ ...body, config: threeSides.config } as unknown as OverheadResult)
  const table = tables.find(({ name }) => name.endsWith('-update'))
  const at = table?.columns.indexOf('layers_p50_ms') ?? -1
  expect(table?.rows[0]?.[at]).toBe(1.5)
  expect(table?.rows[0]).toHaveLength(table?.columns.length ?? 0)
})

test('the smallest volume always fits into the budget, and one that is too large never', () => {
  const budget = new Budget({ ...config, budgetMs: 1_000, warmupMs: 1, runs: 1 }, 2, 8)
  expect(budget.tooLong(1e9)).toBe(undefined)
  budget.loaded(1_000, 10)
  expect(budget.tooLong(1_001_000)).toMatchObject({ needsMs: 10_016 })
  const unlimited = new Budget(config, 2, 8)
  unlimited.loaded(1_000, 10)
  expect(unlimited.tooLong(1e9)).toBe(undefined)
})

test('stores named after their nodes stand side by side', () => {
  const stores = ['c-1', 'c-3', 'redis'].map((name) => ({
    ...subject.stores[0],
    name,
    url: 'redis://h',
    store: undefined as never,
  }))
  const clusters = { ...subject, stores, config: { ...config, volumes: [1_000] } }
  const p50Of = { 'c-1': 1.1, 'c-3': 1.2, redis: 1 }
  const measured = plan(clusters).map((cell) => {
    const isNative = cell.measured?.side === 'native'
    const p50Ms = isNative ? 1 : p50Of[cell.store as keyof typeof p50Of]
    return { cell, sample: cell.measured === null ? null : { calls: 1, meanMs: p50Ms, p50Ms, p99Ms: p50Ms } }
  })
  const tables = report.summary({
    ...aggregate(clusters, measured),
    config: clusters.config,
  } as unknown as OverheadResult)
  const table = tables.find(({ title }) => title === 'c: what unikv adds, by nodes')
  expect(table?.head).toEqual(['records', 'operation', '1 node', '3 nodes'])
  expect(table?.rows[0]).toEqual(['1,000', 'insert', '100 µs (10.0 %)', '200 µs (20.0 %)'])
})

test('the slope of a line is found exactly', () => {
  const line = [1, 2, 4, 8, 16].map((volume) => [volume, 3 * Math.log2(volume)] as const)
  expect(trendOf(line)).toMatchObject({ slopeMs: 3, lowMs: 3, highMs: 3, verdict: 'grows' })
})

/** The probability that a fair coin falls so often, or less often, in `count` throws. */
function coinAtMost(most: number, count: number): number {
  const ways = [1]
  for (let k = 1; k <= most; k++) ways.push(((ways[k - 1] as number) * (count - k + 1)) / k)
  return ways.reduce((sum, one) => sum + one, 0) / 2 ** count
}

test('the interval of a median misses it in no more than 5 % of cases, and is no wider than that needs', () => {
  for (let count = 1; count <= 60; count++) {
    const { low, high } = middleOf(Array.from({ length: count }, (_, i) => i))
    if (low === null) expect(2 * coinAtMost(0, count)).toBeGreaterThan(0.05)
    else {
      expect(high).toBe(count - 1 - low)
      expect(2 * coinAtMost(low, count)).toBeLessThanOrEqual(0.05)
      expect(2 * coinAtMost(low + 1, count)).toBeGreaterThan(0.05)
    }
  }
})

test.each([
  [3, 1],
  [3, 2],
  [3, 3],
  [4, 1],
  [5, 1],
  [4, 9],
])('of %d volumes with %d runs that do not differ, about 5 %% or fewer have a trend', (volumes, runs) => {
  const random = fastRandom(27)
  const times = 500
  const found = Array.from({ length: times }, () => {
    const points = Array.from(
      { length: volumes * runs },
      (_, i) => [2 ** (i % volumes), random.next()] as const,
    )
    return trendOf(points).verdict
  })
  expect(found.filter((one) => one === 'grows' || one === 'falls').length).toBeLessThan(0.075 * times)
})

test('too few runs and volumes have no interval, and say so', () => {
  const three = trendOf([
    [1, 1],
    [2, 2],
    [4, 3],
  ])
  expect(three).toEqual({ slopeMs: 1, lowMs: null, highMs: null, verdict: 'unclear' })
  const few = { ...subject, config: { ...config, volumes: [1_000, 2_000, 4_000], runs: 1 } }
  const all = plan(few).map((cell) => {
    const p50Ms = cell.measured?.side === 'native' ? 1 : 1 + cell.volume / 1e4
    return { cell, sample: cell.measured === null ? null : { calls: 1, meanMs: p50Ms, p50Ms, p99Ms: p50Ms } }
  })
  const result = { ...aggregate(few, all), config: few.config } as unknown as OverheadResult
  expect(report.findings(result)).toEqual([
    expect.stringContaining('adds to the native client (too few runs for an interval): insert 100 µs'),
    'redis: as the volume grows, what unikv adds cannot be told from so few runs for insert, read, update, delete.',
  ])
  expect(report.summary(result).find(({ title }) => title === 'As the volume doubles')?.rows[0]).toEqual([
    'redis',
    'insert',
    '150 µs',
    '–',
    'unclear',
  ])
})
