import type { Axis } from '../axis.ts'
import type { Figure } from '../figure.ts'
import { isNamed } from './series-style.ts'
import { round } from './svg-text.ts'

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

/** For the left of a card, for a card as wide as the page, and for a phone. */
export const plotSizes: Readonly<Record<'side' | 'wide' | 'phone', PlotSize>> = {
  side: { width: 760, height: 460, hasEndLabels: true },
  wide: { width: 1180, height: 460, hasEndLabels: true },
  phone: { width: 340, height: 320, hasEndLabels: false },
}

/** Of a name at the end of a curve, in units of the drawing. */
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
