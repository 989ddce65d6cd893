import { expect, test } from 'vitest'
import type { Figure, Table } from '../src/report/figure.ts'
import { logAxis } from '../src/report/plot/axes.ts'
import { plotSizes } from '../src/report/plot/frame.ts'
import { gapsOf, plotSvg } from '../src/report/plot/plot-svg.ts'

const seconds = { title: 'second', scale: 'linear', format: String } as const
const rates = { title: 'rate', scale: 'linear', format: String } as const

function figureOf(rows: Table['rows']): Figure {
  const table: Table = { key: 't', name: 't', title: 't', columns: ['second', 'rate', 'half_width'], rows }
  const series = [
    { name: 'redis', table, column: 1, halfWidthColumn: 2, colour: { category: 0 }, style: 'line' as const },
  ]
  return {
    id: 'f',
    group: 'g',
    title: 't',
    note: '',
    yLabel: 'rate',
    x: seconds,
    y: rates,
    series,
    tables: [table],
  }
}

const curveIn = (figure: Figure): string =>
  /class="curve line" d="([^"]*)"/.exec(plotSvg(figure, plotSizes.side))?.[1] ?? ''

test('seconds in which nothing succeeded are a gap in the curve', () => {
  const outage = [100, 101, 99, null, null, null, 98, 100]
  const rows = outage.map((rate, second) => [second, rate, null])
  expect(curveIn(figureOf(rows)).replace(/[^ML]/g, '')).toBe('MLLML')
  expect(curveIn(figureOf(outage.map((_, second) => [second, 100, null]))).replace(/[^ML]/g, '')).toBe(
    'MLLLLLLL',
  )
})

test('a logarithmic axis leaves out what lies beyond all powers of ten', () => {
  for (const extreme of [5e-324, 1e308])
    expect(logAxis([extreme, 1, 10])).toMatchObject({ low: 0.5, high: 20 })
})

test('rows of another series, at other times, are no gap', () => {
  const rows = Array.from({ length: 10 }, (_, index) => [index / 2, index % 2 === 0 ? index : null, null])
  const [series] = figureOf(rows).series
  const values = rows.flatMap(([at, value]) =>
    value === null ? [] : [[at as number, value as number, null] as const],
  )
  expect(gapsOf(series!, seconds, values)).toEqual(new Set())
})

test('the bar of a value whose interval holds zero goes down to the axis', () => {
  const rows = [
    [1, 100, 10],
    [2, 50, 80],
    [3, 100, 10],
  ]
  const svg = plotSvg(figureOf(rows), plotSizes.side)
  const ends = [...svg.matchAll(/class="bar" d="M[\d.]+ ([\d.]+)V([\d.]+)/g)].map(([, , low]) => Number(low))
  const bottom = Number(
    /class="frame"[^>]*y="([\d.]+)"[^>]*height="([\d.]+)"/
      .exec(svg)
      ?.slice(1)
      .reduce((sum, one) => String(Number(sum) + Number(one)), '0'),
  )
  expect(ends).toHaveLength(3)
  expect(ends[1]).toBe(bottom)
})
