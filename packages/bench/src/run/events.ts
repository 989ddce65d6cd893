import type { SeriesInterval } from '../loop/series-interval.ts'

/** A unit of a plan: one thing, measured once. */
export interface BenchCell {
  /** 0: a warm-up, whose figures are not used. */
  readonly run: number
  /** Place on the size axis. */
  readonly point: number
}

/** A moment within a cell that takes long. */
export type CellProgress =
  | { readonly type: 'loading'; readonly target: string; readonly records: number; readonly of: number }
  | {
      readonly type: 'interval'
      readonly target: string
      readonly run: number
      readonly interval: SeriesInterval
    }

/** The progress events of a bench. */
export type BenchEvent<C extends BenchCell> =
  | {
      readonly type: 'started'
      readonly cells: number
      /** The run takes at least so long, whatever the stores; a better guess comes with each cell. */
      readonly leastMs: number
    }
  /** Namespaces that an earlier, killed run left in a store were deleted. */
  | { readonly type: 'leftovers-removed'; readonly target: string; readonly runs: readonly string[] }
  | FinishedCell<C>
  | CellProgress
  | { readonly type: 'removing'; readonly target: string }

/** A cell is done. */
export interface FinishedCell<C extends BenchCell> {
  readonly type: 'cell'
  readonly cell: C
  /** The name of the measurement, in words. */
  readonly label: string
  /** Bytes of the cell's objects, where they are all of one size. */
  readonly size: number | undefined
  readonly done: number
  readonly cells: number
  readonly elapsedMs: number
  /** A guess; `undefined` before there is one. */
  readonly remainingMs: number | undefined
}
