/** Where values lie on an axis, and which ones get a tick. */
export interface Axis {
  readonly low: number
  readonly high: number
  /** Where a value lies, from 0 (low end) to 1 (high end). */
  place(value: number): number
  /** Values with a label. */
  readonly ticks: readonly number[]
  /** Values with a fine line only. */
  readonly minorTicks: readonly number[]
}
