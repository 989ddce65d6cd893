import type { Cell } from './plan.ts'

/** What `benchSizes` reports while it works. */
export type SizesEvent =
  | { readonly type: 'started'; readonly cells: number }
  /** Namespaces that an earlier, killed run left in a store were deleted. */
  | { readonly type: 'leftovers-removed'; readonly target: string; readonly runs: readonly string[] }
  | CellFinished
  | { readonly type: 'removing'; readonly target: string }

/** A cell is done. */
export interface CellFinished {
  readonly type: 'cell'
  readonly cell: Cell
  /** Bytes of the cell's objects. */
  readonly size: number
  readonly done: number
  readonly cells: number
  readonly elapsedMs: number
  /** A guess; `undefined` before there is one. */
  readonly remainingMs: number | undefined
}
