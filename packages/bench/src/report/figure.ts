import type { Table } from './table.ts'

/** A plot of one or more tables. */
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
  /** The horizontal axis. @default object sizes, logarithmic */
  readonly x?: FigureAxis | undefined
  /** The vertical axis. @default milliseconds, logarithmic */
  readonly y?: FigureAxis | undefined
  readonly series: readonly FigureSeries[]
  /** Places on the horizontal axis where something happened: lines from top to bottom. @default none */
  readonly moments?: readonly FigureMoment[] | undefined
  /** Tables to show beside it; the first holds its main series. */
  readonly tables: readonly Table[]
  /** As wide as the page, with its tables below. @default false */
  readonly isWide?: boolean
  /** Folded on the page, under these words: it looks much like another one. */
  readonly foldedAs?: string | undefined
}

/** An axis: what it shows, and how. */
export interface FigureAxis {
  /** The quantity with its unit, such as `object size (bytes)`. */
  readonly title: string
  readonly scale: 'log' | 'linear'
  /** The values say by themselves that the scale is logarithmic. @default false */
  readonly hidesScale?: boolean | undefined
  /** A value of the axis in words. */
  readonly format: (value: number) => string
}

/** Something that happened at a place of the horizontal axis. */
export interface FigureMoment {
  readonly at: number
  /** A few words; a long text is cut where it is drawn, and whole in the title. */
  readonly name: string
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
