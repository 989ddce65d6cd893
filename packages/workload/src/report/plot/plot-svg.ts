import { formatSize } from '../../data/size-list.ts'
import { escapeHtml } from '../escape-html.ts'
import type { Figure, FigureSeries } from '../figure.ts'
import { type LogAxis, logAxis } from '../log-axis.ts'
import { markShape } from '../mark.ts'
import { formatInterval, formatMs } from '../words/units.ts'
import type { Curve, Placed } from './curve.ts'
import { endLabels } from './end-labels.ts'
import { type Frame, frameOf, type PlotSize, plotSizes } from './frame.ts'
import { colourOf, isNamed } from './series-style.ts'
import { round, text } from './svg-text.ts'

/**
 * A figure as SVG, for a page that defines its colours (`colourOf`). Complete without a script: axes with units,
 * error bars, curves named at their ends, and every value as the title of its mark.
 */
export function plotSvg(figure: Figure, size: PlotSize = plotSizes.side): string {
  const frame = frameOf(figure, size)
  const xAxis = logAxis(
    figure.series.flatMap((series) => rowsOf(series).map(([size]) => size)),
    1.12,
  )
  const yAxis = logAxis(figure.series.flatMap((series) => rowsOf(series).flatMap(([, ms]) => [ms])))
  const curves = figure.series.map(
    (series, index): Curve => ({ series, index, points: placed(frame, series, xAxis, yAxis) }),
  )
  const label = `${figure.title}: ${figure.yLabel} by object size, both logarithmic`
  return [
    `<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escapeHtml(label)}">`,
    grid(frame, xAxis, yAxis),
    `<rect class="frame" x="${frame.left}" y="${frame.top}" width="${frame.right - frame.left}" height="${frame.bottom - frame.top}"/>`,
    axisTitles(frame, figure.yLabel),
    ...curves.map(curveSvg),
    size.hasEndLabels
      ? endLabels(
          frame,
          curves.filter(({ series }) => isNamed(series)),
        )
      : '',
    '</svg>',
  ].join('\n')
}

function rowsOf({
  table,
  column,
  halfWidthColumn,
}: FigureSeries): [size: number, ms: number, halfWidthMs: number | null][] {
  return table.rows.flatMap((row) => {
    const [size, ms] = [row[0], row[column]]
    const halfWidthMs = halfWidthColumn === undefined ? null : (row[halfWidthColumn] ?? null)
    return typeof size === 'number' && typeof ms === 'number' && ms > 0 ? [[size, ms, halfWidthMs]] : []
  })
}

function placed(frame: Frame, series: FigureSeries, xAxis: LogAxis, yAxis: LogAxis): Placed[] {
  return rowsOf(series).map(([size, ms, halfWidthMs]) => ({
    x: horizontal(frame, xAxis, size),
    y: vertical(frame, yAxis, ms),
    size,
    ms,
    halfWidthMs,
    bar: halfWidthMs === null || halfWidthMs >= ms ? undefined : barOf(frame, yAxis, ms, halfWidthMs),
  }))
}

function barOf(frame: Frame, yAxis: LogAxis, ms: number, halfWidthMs: number): [high: number, low: number] {
  return [
    vertical(frame, yAxis, Math.min(yAxis.high, ms + halfWidthMs)),
    vertical(frame, yAxis, Math.max(yAxis.low, ms - halfWidthMs)),
  ]
}

function horizontal(frame: Frame, axis: LogAxis, size: number): number {
  return round(frame.left + axis.place(size) * (frame.right - frame.left))
}

function vertical(frame: Frame, axis: LogAxis, ms: number): number {
  return round(frame.bottom - axis.place(ms) * (frame.bottom - frame.top))
}

function grid(frame: Frame, xAxis: LogAxis, yAxis: LogAxis): string {
  const across = (ms: number, kind: string): string =>
    `<path class="${kind}" d="M${frame.left} ${vertical(frame, yAxis, ms)}H${frame.right}"/>`
  const up = (size: number, kind: string): string =>
    `<path class="${kind}" d="M${horizontal(frame, xAxis, size)} ${frame.top}V${frame.bottom}"/>`
  const names = [
    ...yAxis.ticks.map((ms) =>
      text(frame.left - 9, vertical(frame, yAxis, ms) + 4, tickTime(ms), 'tick end'),
    ),
    ...sizesNamed(frame, xAxis).map((size) =>
      text(horizontal(frame, xAxis, size), frame.bottom + 19, formatSize(size), 'tick middle'),
    ),
  ]
  return [
    ...yAxis.minorTicks.map((ms) => across(ms, 'minor')),
    ...xAxis.minorTicks.map((size) => up(size, 'minor')),
    ...yAxis.ticks.map((ms) => across(ms, 'major')),
    ...xAxis.ticks.map((size) => up(size, 'major')),
    ...names,
  ].join('')
}

/** Names that fit beside each other: on a narrow drawing those of whole decades alone. */
function sizesNamed({ size: { hasEndLabels } }: Frame, { ticks }: LogAxis): readonly number[] {
  const decades = ticks.filter((size) => Number.isInteger(Math.round(Math.log10(size) * 1e9) / 1e9))
  return hasEndLabels || ticks.length <= 5 || decades.length < 2 ? ticks : decades
}

function tickTime(ms: number): string {
  return formatMs(ms)
    .replace(/\.0+(?= )/, '')
    .replace(/(\.\d*?)0+(?= )/, '$1')
}

function axisTitles(frame: Frame, yLabel: string): string {
  const { height, hasEndLabels } = frame.size
  const middleX = (frame.left + frame.right) / 2
  const middleY = (frame.top + frame.bottom) / 2
  return (
    text(
      middleX,
      height - 10,
      hasEndLabels ? 'object size (bytes, log scale)' : 'object size (log scale)',
      'axis middle',
    ) +
    `<text class="axis middle" transform="translate(${hasEndLabels ? 16 : 9} ${middleY}) rotate(-90)">${escapeHtml(yLabel)} (log scale)</text>`
  )
}

function curveSvg({ series, index, points }: Curve): string {
  const colour = colourOf(series)
  const line = points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${x} ${y}`).join('')
  const marks = series.style === 'thin' ? '' : points.map((point) => mark(series, index, point)).join('')
  const path = series.style === 'marks' ? '' : `<path class="curve ${series.style}" d="${line}"/>`
  return `<g style="--c:${colour}">${points.map(errorBar).join('')}${path}${marks}</g>`
}

function errorBar({ x, bar }: Placed): string {
  const [high, low] = bar ?? [0, 0]
  if (low - high < 3) return ''
  return `<path class="bar" d="M${x} ${high}V${low}M${x - 4} ${high}h8M${x - 4} ${low}h8"/>`
}

function mark(series: FigureSeries, index: number, { x, y, size, ms, halfWidthMs }: Placed): string {
  const title = `${series.name}, ${formatSize(size)}: ${formatInterval(ms, halfWidthMs)}`
  const shape =
    series.style === 'marks' ? `<circle class="ring" r="5.5"/>` : markShape(index, series.style === 'dashed')
  return `<g transform="translate(${x} ${y})">${shape}<title>${escapeHtml(title)}</title></g>`
}
