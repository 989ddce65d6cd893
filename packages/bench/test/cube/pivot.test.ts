import { expect, test } from 'vitest'
import { meanTime, percentile, rate } from '../../src/cube/columns.ts'
import { eachRun, figures, type Row, rowsAt } from '../../src/cube/row.ts'
import type { PlotView, View } from '../../src/cube/view.ts'
import { sizeAxis } from '../../src/report/plot/axes.ts'
import { viewed } from '../../src/study/viewed.ts'

/** Two stores at two sizes; one of them was not reached at the larger size. */
const rows: readonly Row[] = [
  ...at('a, b', 100, [1, 2, 3]),
  ...at('a, b', 1_000, [10, 20, 30]),
  ...at('z', 100, [4, 4, 4]),
  // A dimension that the views do not name: another place.
  ...rowsAt({ store: 'z', dimensions: { operation: 'read', size: 100, cache: 'near' } }, [
    { measure: 'service', unit: 'ms', statistic: 'p50', value: 99 },
  ]),
]

function at(store: string, size: number, runs: readonly number[]): readonly Row[] {
  return rowsAt({ store, dimensions: { operation: 'read', size } }, [
    ...eachRun('service', 'ms', runs, 'mean'),
    ...eachRun(
      'rate',
      '1/s',
      runs.map((ms) => 1_000 / ms),
    ),
    ...figures('service', 'ms', { p50: runs[1] ?? null, p99: null }),
  ])
}

const size = { name: 'size', key: 'size_bytes' }
const columns = [{ ...meanTime('service'), hasInterval: true }, percentile('service', 'p50'), ...rate()]
const table: View = {
  each: [{ name: 'operation' }],
  names: [{ name: 'store' }, size],
  columns: [...columns, percentile('service', 'p99')],
  title: ({ operation }) => `Times of ${operation}`,
}
const plot: PlotView = {
  each: [{ name: 'operation' }],
  names: [size],
  across: { name: 'store' },
  columns: [columns[0] as (typeof columns)[0], percentile('service', 'p50')],
  id: ({ operation }) => `${operation}-times`,
  section: 'times',
  title: () => 'Times by size',
  note: 'Means.',
  x: sizeAxis,
  yLabel: 'time',
  style: ({ head }) => (head === 'mean' ? 'line' : 'dashed'),
  beside: { caption: 'means' },
}
const result = {}
const report = viewed({ rows: () => rows, summary: () => [table], plots: () => [plot] })

test('a table for people has a line for each place, and a dash where nothing was measured', () => {
  expect(report.summary(result)).toEqual([
    {
      title: 'Times of read',
      head: ['store', 'size', 'mean', 'p50', 'ops/s', '± 95 %', 'p99'],
      names: 2,
      rows: [
        ['a, b', '100', '2.00 ms', '2.00 ms', '611', 'varies too much', '–'],
        ['a, b', '1,000', '20.0 ms', '20.0 ms', '61.1', 'varies too much', '–'],
        ['z', '100', '4.00 ms', '4.00 ms', '250', '0.00', '–'],
      ],
    },
  ])
})

test('a file has a column for each store, with half of its interval, and no value where there is none', () => {
  const [file] = report.tables(result)
  expect(file?.columns).toEqual([
    'size_bytes',
    ...['a_b', 'z'].flatMap((name) => [`${name}_mean_ms`, `${name}_half_width_mean_ms`, `${name}_p50_ms`]),
  ])
  // Student's t of two degrees of freedom is 4.303: half of the interval of 1, 2, 3 is 4.303 / √3.
  expect(file?.rows).toEqual([
    [100, 2, expect.closeTo(2.484, 3), 2, 4, 0, 4],
    [1_000, 20, expect.closeTo(24.84, 2), 20, null, null, null],
  ])
})

test('a plot draws these columns, and the table beside it has the same figures', () => {
  const [figure] = report.figures(result)
  expect(
    figure?.series.map(({ name, column, halfWidthColumn, style }) => [name, column, halfWidthColumn, style]),
  ).toEqual([
    ['a, b, mean', 1, 2, 'line'],
    ['a, b, p50', 3, undefined, 'dashed'],
    ['z, mean', 4, 5, 'line'],
    ['z, p50', 6, undefined, 'dashed'],
  ])
  const { beside } = report.besides(figure as NonNullable<typeof figure>, result)
  expect(beside).toContain('<td>4.00 ms<small>± 0 ms</small></td>')
  expect(beside).toContain('<th scope="row">1,000</th><td>20.0 ms<small>varies too much</small></td>')
})
