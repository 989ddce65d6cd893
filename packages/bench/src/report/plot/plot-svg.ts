import { median } from '../../statistics/summary.ts'
import type { Axis, Figure, FigureAxis, FigureMoment, FigureSeries } from '../figure.ts'
import { colourOf, escapeHtml, isNamed, markShape, text } from '../html.ts'
import { formatInterval, formatMs } from '../words.ts'
import { type Axes, axesOf, type PlotAxis, type Value, valuesOf } from './axes.ts'
import {
  axisTitles,
  type Frame,
  frameOf,
  grid,
  horizontal,
  type PlotSize,
  plotSizes,
  vertical,
} from './frame.ts'
import { type Curve, endLabels, type Placed } from './labels.ts'
import { colours, drawingRules } from './plot-style.ts'

/** Longest name that is drawn, in characters. */
const longestName = 40
/** Names of lines that stand close to each other are on different heights. */
const heights = 3
const lineHeight = 16

/** Lines from top to bottom where something happened. A narrow drawing has them without names. */
function momentLines(frame: Frame, axis: Axis, moments: readonly FigureMoment[]): string {
  return moments.map((moment, index) => momentLine(frame, axis, moment, index)).join('')
}

function momentLine(frame: Frame, axis: Axis, { at, name }: FigureMoment, index: number): string {
  const x = horizontal(frame, axis, at)
  const line = `<path d="M${x} ${frame.top}V${frame.bottom}"/>`
  const words = frame.size.hasEndLabels ? nameAt(frame, x, shortened(name), index) : ''
  return `<g class="moment">${line}${words}<title>${escapeHtml(name)}</title></g>`
}

/** On the side of the line with more room. */
function nameAt({ left, right, top }: Frame, x: number, name: string, index: number): string {
  const y = top + 14 + (index % heights) * lineHeight
  return x > (left + right) / 2 ? text(x - 6, y, name, 'end') : text(x + 6, y, name, 'start')
}

function shortened(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name
}

/** A step so many times as wide as most others, over rows without a value, is a gap. */
const wide = 1.5

/** Indexes of values with a gap before them: rows in between have no value, as where every operation failed. */
export function gapsOf(
  { table }: FigureSeries,
  { scale }: FigureAxis,
  values: readonly Value[],
): ReadonlySet<number> {
  const places = values.map(([at]) => (scale === 'log' ? Math.log(at) : at))
  const steps = places.slice(1).map((place, index) => place - (places[index] as number))
  if (steps.length < 2) return new Set()
  const usual = median(steps)
  const rows = table.rows.map(([at]) => at)
  // Series that share a table without sharing its rows, such as monitors, have empty rows everywhere, and even steps.
  const isGap = (index: number): boolean => {
    const [from, to] = [values[index], values[index + 1]] as [Value, Value]
    const isEmpty = rows.some((at) => typeof at === 'number' && at > from[0] && at < to[0])
    return isEmpty && (steps[index] as number) > wide * usual
  }
  return new Set(steps.flatMap((_step, index) => (isGap(index) ? [index + 1] : [])))
}

/**
 * A figure as SVG, for a page that defines its colours (`colourOf`). Complete without a script: axes with units,
 * error bars, curves named at their ends, and every value as the title of its mark.
 */
export function plotSvg(figure: Figure, size: PlotSize = plotSizes.side): string {
  return `<svg viewBox="0 0 ${size.width} ${size.height}" ${drawn(figure, size, '')}`
}

/** Beyond the frame of a file, as nothing is seen there: names may be wider in another font. */
const fileMargin = 24

/** The same as a file of its own, with its colors, light and dark. Small enough for a phone and for the column of a document. */
export function plotFile(figure: Figure): string {
  const { file } = plotSizes
  const [width, height] = [file.width + fileMargin, file.height]
  const own = `<style>${colours}${drawingRules}</style>\n<rect fill="var(--panel)" width="${width}" height="${height}"/>\n`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ${drawn(figure, file, own)}\n`
}

/** From the last attributes on. */
function drawn(figure: Figure, size: PlotSize, before: string): string {
  const frame = frameOf(figure, size)
  const axes = axesOf(figure)
  const curves = figure.series.map(
    (series, index): Curve => ({ series, index, points: placed(frame, series, axes) }),
  )
  return [
    `role="img" aria-label="${escapeHtml(labelOf(figure, axes))}">`,
    before + grid(frame, axes),
    `<rect class="frame" x="${frame.left}" y="${frame.top}" width="${frame.right - frame.left}" height="${frame.bottom - frame.top}"/>`,
    axisTitles(frame, axes),
    momentLines(frame, axes.x, figure.moments ?? []),
    ...curves.map((curve) => curveSvg(curve, axes)),
    size.hasEndLabels
      ? endLabels(
          frame,
          curves.filter(({ series }) => isNamed(series)),
        )
      : '',
    '</svg>',
  ].join('\n')
}

function labelOf({ title, yLabel }: Figure, { x, y }: Axes): string {
  const what = `${title}: ${yLabel} by ${x.title.replace(/ \([^()]*\)$/, '')}`
  if (x.scale === 'log' && y.scale === 'log') return `${what}, both logarithmic`
  return x.scale === 'linear' && y.scale === 'linear' ? what : `${what}, one of them logarithmic`
}

function placed(frame: Frame, series: FigureSeries, { x, y }: Axes): Placed[] {
  const values = valuesOf(series, x, y)
  const gaps = gapsOf(series, x, values)
  return values.map(([at, value, halfWidth], index) => ({
    x: horizontal(frame, x, at),
    y: vertical(frame, y, value),
    at,
    value,
    halfWidth,
    isAfterGap: gaps.has(index),
    bar: halfWidth === null ? undefined : barOf(frame, y, value, halfWidth),
  }))
}

function barOf(frame: Frame, axis: PlotAxis, value: number, halfWidth: number): [high: number, low: number] {
  return [
    vertical(frame, axis, Math.min(axis.high, value + halfWidth)),
    vertical(frame, axis, Math.max(axis.low, value - halfWidth)),
  ]
}

/** So many marks stand apart; a denser curve is a line alone. */
const mostMarks = 60

function curveSvg({ series, index, points }: Curve, axes: Axes): string {
  const colour = colourOf(series)
  const line = points
    .map(({ x, y, isAfterGap }, i) => `${i === 0 || isAfterGap ? 'M' : 'L'}${x} ${y}`)
    .join('')
  const hasMarks = series.style !== 'thin' && points.length <= mostMarks
  const marks = hasMarks ? points.map((point) => mark(series, index, point, axes)).join('') : ''
  const path = series.style === 'marks' ? '' : `<path class="curve ${series.style}" d="${line}"/>`
  return `<g style="--c:${colour}">${points.map(errorBar).join('')}${path}${marks}</g>`
}

function errorBar({ x, bar }: Placed): string {
  const [high, low] = bar ?? [0, 0]
  if (low - high < 3) return ''
  return `<path class="bar" d="M${x} ${high}V${low}M${x - 4} ${high}h8M${x - 4} ${low}h8"/>`
}

function mark(series: FigureSeries, index: number, point: Placed, { x, y }: Axes): string {
  const { at, value, halfWidth } = point
  const told = y.format === formatMs ? formatInterval(value, halfWidth) : y.format(value)
  const title = `${series.name}, ${x.format(at)}: ${told}`
  const shape =
    series.style === 'marks' ? `<circle class="ring" r="5.5"/>` : markShape(index, series.style === 'dashed')
  return `<g transform="translate(${point.x} ${point.y})">${shape}<title>${escapeHtml(title)}</title></g>`
}
