import type { FigureSeries } from '../figure.ts'

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
