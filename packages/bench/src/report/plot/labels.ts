import type { FigureSeries } from '../figure.ts'
import { colourOf, round, text } from '../html.ts'
import type { Frame } from './frame.ts'

/** One value of a curve, placed. */
export interface Placed {
  readonly x: number
  readonly y: number
  /** On the horizontal axis. */
  readonly at: number
  /** On the vertical axis. */
  readonly value: number
  readonly halfWidth: number | null
  /** Values are missing before it: no line leads to it. */
  readonly isAfterGap: boolean
  /** Ends of the error bar, within the frame. */
  readonly bar: readonly [high: number, low: number] | undefined
}

/** A curve, placed. */
export interface Curve {
  readonly series: FigureSeries
  readonly index: number
  readonly points: readonly Placed[]
}

const labelGap = 17

/** Names at the right ends of the curves, moved apart where they would overlap. */
export function endLabels(frame: Frame, curves: readonly Curve[]): string {
  const wanted = curves
    .flatMap(({ series, points }) => {
      const last = points.at(-1)
      return last === undefined ? [] : [{ series, x: last.x, y: last.y }]
    })
    .sort((a, b) => a.y - b.y)
  const ys = apart(
    wanted.map(({ y }) => y),
    frame.bottom - 4,
  )
  return wanted
    .map(({ series, x, y }, index) => {
      const at = ys[index] as number
      const leader = `<path class="leader" d="M${x + 7} ${y}L${frame.right + 6} ${at}"/>`
      return `<g style="--c:${colourOf(series)}">${leader}${text(frame.right + 10, at + 4, series.name, 'name')}</g>`
    })
    .join('')
}

/** Ascending places at least one line apart and none below the lowest, moved by one pass down and one up. */
function apart(places: readonly number[], lowest: number): number[] {
  const moved = [...places]
  for (let i = 1; i < moved.length; i++)
    moved[i] = Math.max(moved[i] as number, (moved[i - 1] as number) + labelGap)
  const overshoot = (moved.at(-1) ?? 0) - lowest
  if (overshoot > 0) moved[moved.length - 1] = (moved.at(-1) as number) - overshoot
  for (let i = moved.length - 2; i >= 0; i--)
    moved[i] = Math.min(moved[i] as number, (moved[i + 1] as number) - labelGap)
  return moved.map(round)
}
