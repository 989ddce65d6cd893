import type { Axis, Figure } from '../figure.ts'
import { escapeHtml, isNamed, round, text } from '../html.ts'
import type { Axes, PlotAxis } from './axes.ts'

/**
 * How large a drawing is. Its text keeps its size on the screen, so there is one drawing for narrow screens and one for
 * wide ones instead of one that shrinks.
 */
export interface PlotSize {
  readonly width: number
  readonly height: number
  /** Whether curves are named at their ends; a legend names them anyway. */
  readonly hasEndLabels: boolean
}

/** For the left of a card, for a card as wide as the page, for a phone, and for a file. */
export const plotSizes: Readonly<Record<'side' | 'wide' | 'phone' | 'file', PlotSize>> = {
  side: { width: 760, height: 460, hasEndLabels: true },
  wide: { width: 1180, height: 460, hasEndLabels: true },
  phone: { width: 340, height: 320, hasEndLabels: false },
  file: { width: 456, height: 330, hasEndLabels: true },
}

/** Width of a character of a name at the end of a curve, in units of the drawing. */
const characterWidth = 7.4
const longestLabel = 180

/** Where the axes lie. */
export interface Frame {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly size: PlotSize
}

/** Room on the left for times, and on the right for the longest name. */
export function frameOf({ series }: Figure, size: PlotSize): Frame {
  const { width, height, hasEndLabels } = size
  const longest = Math.max(...series.filter(isNamed).map(({ name }) => name.length))
  const names = hasEndLabels ? 16 + Math.min(longestLabel, longest * characterWidth) : 6
  return { left: hasEndLabels ? 78 : 70, right: width - names, top: 14, bottom: height - 52, size }
}

/** Where a value lies between left and right. */
export function horizontal(frame: Frame, axis: Axis, value: number): number {
  return round(frame.left + axis.place(value) * (frame.right - frame.left))
}

/** Where a value lies between bottom and top. */
export function vertical(frame: Frame, axis: Axis, value: number): number {
  return round(frame.bottom - axis.place(value) * (frame.bottom - frame.top))
}

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
