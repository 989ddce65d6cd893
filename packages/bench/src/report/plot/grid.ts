import { escapeHtml } from '../escape-html.ts'
import type { Axes, PlotAxis } from './axes.ts'
import { type Frame, horizontal, vertical } from './frame.ts'
import { text } from './svg-text.ts'

/** Lines and names of the ticks of both axes. */
export function grid(frame: Frame, { x, y }: Axes): string {
  const across = (value: number, kind: string): string =>
    `<path class="${kind}" d="M${frame.left} ${vertical(frame, y, value)}H${frame.right}"/>`
  const up = (value: number, kind: string): string =>
    `<path class="${kind}" d="M${horizontal(frame, x, value)} ${frame.top}V${frame.bottom}"/>`
  const names = [
    ...y.ticks.map((value) =>
      text(frame.left - 9, vertical(frame, y, value) + 4, tickText(y, value), 'tick end'),
    ),
    ...namedTicks(frame, x).map((value) =>
      text(horizontal(frame, x, value), frame.bottom + 19, tickText(x, value), 'tick middle'),
    ),
  ]
  return [
    ...y.minorTicks.map((value) => across(value, 'minor')),
    ...x.minorTicks.map((value) => up(value, 'minor')),
    ...y.ticks.map((value) => across(value, 'major')),
    ...x.ticks.map((value) => up(value, 'major')),
    ...names,
  ].join('')
}

/** The titles of both axes. */
export function axisTitles(frame: Frame, { x, y }: Axes): string {
  const { height, hasEndLabels } = frame.size
  const middleX = (frame.left + frame.right) / 2
  const middleY = (frame.top + frame.bottom) / 2
  return (
    text(middleX, height - 10, titleOf(x, hasEndLabels), 'axis middle') +
    `<text class="axis middle" transform="translate(${hasEndLabels ? 16 : 9} ${middleY}) rotate(-90)">${escapeHtml(titleOf(y, true))}</text>`
  )
}

/** On a narrow drawing a unit in brackets is left out: the ticks name it. */
function titleOf({ title, scale, hidesScale = false }: PlotAxis, isWide: boolean): string {
  const shown = isWide ? title : title.replace(/ \([^()]*\)$/, '')
  if (scale === 'linear' || hidesScale) return shown
  return shown.endsWith(')') ? `${shown.slice(0, -1)}, log scale)` : `${shown} (log scale)`
}

/** Names that fit beside each other: on a narrow drawing those of whole decades alone, or every second one. */
function namedTicks({ size: { hasEndLabels } }: Frame, { ticks, scale }: PlotAxis): readonly number[] {
  if (hasEndLabels || ticks.length <= 5) return ticks
  if (scale === 'linear') return ticks.filter((_, index) => index % 2 === 0)
  const decades = ticks.filter((value) => Number.isInteger(Math.round(Math.log10(value) * 1e9) / 1e9))
  return decades.length < 2 ? ticks : decades
}

/** `1.00 ms` is `1 ms` on an axis. */
function tickText({ format }: PlotAxis, value: number): string {
  return format(value)
    .replace(/\.0+(?= |$)/, '')
    .replace(/(\.\d*?)0+(?= |$)/, '$1')
}
