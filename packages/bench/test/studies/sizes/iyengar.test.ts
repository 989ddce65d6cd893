import { expect, test } from 'vitest'
import { Cell } from '../../../src/cube/cell.ts'
import { textReport } from '../../../src/page/text-report.ts'
import type { SizesResult } from '../../../src/studies/sizes/config.ts'
import { costsOf, paperLatency } from '../../../src/studies/sizes/hit-rate.ts'
import { sizes } from '../../../src/studies/sizes/sizes.ts'
import { fixtureResult } from './fixture-result.ts'

const { report } = sizes

const fixture = fixtureResult({ preset: 'iyengar', parallel: 1, measureHitRates: false })

/** A result of the preset over stores of these kinds, whose rows are those of the two stores of the fixture in turn. */
function over(
  kinds: Readonly<Record<string, string>>,
  delayMs: Readonly<Record<string, number>> = {},
  change: Partial<SizesResult> = {},
): SizesResult {
  const names = Object.keys(kinds)
  const sourceOf = (index: number): string => (index % 2 === 0 ? 'sql' : 'disk')
  return {
    ...fixture,
    config: { ...fixture.config, delayMs },
    stores: names.map((name) => ({ ...fixture.stores[0]!, name, adapter: kinds[name]! })),
    rows: [
      ...fixture.rows.filter(({ store }) => store === 'none'),
      ...names.flatMap((name, index) =>
        fixture.rows.flatMap((row) => (row.store === sourceOf(index) ? [{ ...row, store: name }] : [])),
      ),
    ],
    ...change,
  }
}

/** The figures of a result that have a number, and their captions. */
function drawnIn(result: SizesResult): Readonly<Record<string, string>> {
  const found = report.figures(result).flatMap(({ title }) => {
    const [, number, rest = ''] = /^Fig\. (\d+): (.*)$/.exec(title) ?? []
    return number === undefined ? [] : [[number, rest] as const]
  })
  return Object.fromEntries(found)
}

const five = { hot: 'redis', disk: 'file', far1: 's3', sql: 'mysql', far2: 'redis' }
const farther = { far1: 30, far2: 15 }
const captions = {
  9: 'Read latency',
  10: 'Write latency',
  11: 'far1 behind memory',
  12: 'far1 behind near',
  13: 'far2 behind memory',
  14: 'far2 behind near',
  15: 'sql behind memory',
  16: 'sql behind near',
  17: 'disk behind memory',
  18: 'disk behind near',
  19: 'hot behind memory',
  20: 'Encryption and decryption',
  21: 'Compression and decompression',
}

test('the stores of the paper make all thirteen figures, in its order', () => {
  const shown = over(five, farther)
  expect(drawnIn(shown)).toEqual(captions)
  const order = report.figures(shown).flatMap(({ title }) => /^Fig\. (\d+)/.exec(title)?.[1] ?? [])
  expect(order.map(Number)).toEqual(Object.keys(captions).map(Number))
  expect(report.findings(shown).join()).not.toContain('Not drawn')
  const text = textReport(sizes, shown, 200)
  for (const number of order) expect(text).toContain(`\nFig. ${number}: `)
  expect(text).toContain(
    'preset: iyengar: Fig. 9 to 21 of the paper; far1 stands for Cloud Store 1; far2 stands for Cloud Store 2; sql stands for MySQL; disk stands for the file system; hot stands for Redis',
  )
})

test.each([
  [
    'one store',
    { hot: 'redis' },
    {},
    [9, 10, 19, 20, 21],
    ['11 and 12', '13 and 14', '15 and 16', '17 and 18'],
  ],
  [
    'one store farther away',
    { hot: 'redis' },
    { hot: 9 },
    [9, 10, 11, 12, 20, 21],
    ['13 and 14', '15 and 16', '17 and 18', '19'],
  ],
  [
    'embedded stores',
    { a: 'sqlite', b: 'lmdb' },
    {},
    [9, 10, 15, 16, 17, 18, 20, 21],
    ['11 and 12', '13 and 14', '19'],
  ],
  [
    'a store that stands for none',
    { a: 'mongodb' },
    {},
    [9, 10, 20, 21],
    ['11 and 12', '13 and 14', '15 and 16', '17 and 18', '19'],
  ],
] as const)('%s: what is drawn, and what is not', (_, kinds, delayMs, numbers, others) => {
  const shown = over(kinds, delayMs)
  expect(Object.keys(drawnIn(shown)).map(Number)).toEqual(numbers)
  const told = report.findings(shown).filter((one) => one.startsWith('Not drawn: '))
  expect(told.map((one) => /Fig\. (.*) of the paper\. No store stands for /.exec(one)?.[1])).toEqual(others)
})

test('without a cache of a kind, its figures are named', () => {
  const { caches, rows } = over(five, farther)
  const isNear = (row: SizesResult['rows'][number]): boolean => row.dimensions['cache'] !== 'near'
  const shown = over(five, farther, {
    caches: caches.filter(({ name }) => name !== 'near'),
    rows: rows.filter(isNear),
  })
  expect(Object.keys(drawnIn(shown)).map(Number)).toEqual([9, 10, 11, 13, 15, 17, 19, 20, 21])
  expect(report.findings(shown)).toContain(
    'Not drawn: Fig. 12, 14, 16 and 18 of the paper. There is no remote cache. Add one such as --cache redis://HOST.',
  )
})

test('a figure behind a cache has five curves: no cache, and hits by the model of the paper', () => {
  const shown = over(five, farther)
  const figure = report.figures(shown).find(({ id }) => id === 'figure-16')!
  expect(figure.series.map(({ name }) => name)).toEqual(['no cache', '25 %', '50 %', '75 %', '100 %'])
  const costs = costsOf(new Cell(shown.rows, {}).at({ store: 'sql', cache: 'near', size: 100 }))
  expect(figure.series.map(({ table, column }) => table.rows[0]![column])).toEqual(
    shown.config.hitRates.map((rate) => paperLatency(rate, costs)),
  )
  expect(figure.note).toContain('In the paper, of MySQL: a hit takes longer the larger the object is')
})
