import type { Table } from './table.ts'

/** A plot of one or more tables on log-log axes: size across, time up. */
export interface Figure {
  /** File name without its ending. */
  readonly id: string
  /** The section of the page that it stands in. */
  readonly group: string
  readonly title: string
  /** A note about it for the reader, in one sentence. */
  readonly note: string
  /** The quantity on the vertical axis. */
  readonly yLabel: string
  readonly series: readonly FigureSeries[]
  /** Tables to show beside it; the first holds its main series. */
  readonly tables: readonly Table[]
  /** As wide as the page, with its tables below. @default false */
  readonly isWide?: boolean
  /** Folded on the page, under these words: it looks much like another one. */
  readonly foldedAs?: string | undefined
}

/** One curve. */
export interface FigureSeries {
  readonly name: string
  readonly table: Table
  /** Index of the column with the values. */
  readonly column: number
  /** Index of the column with the half-widths of the error bars. */
  readonly halfWidthColumn?: number | undefined
  /** Categorical colour by number, or a place between 0 and 1 on a ramp. */
  readonly colour: { readonly category: number } | { readonly ramp: number }
  /**
   * `line`: solid with marks; `dashed`: for comparison; `thin`: another model of the line of this color; `marks`:
   * single values measured beside it.
   */
  readonly style: 'line' | 'dashed' | 'thin' | 'marks'
}
