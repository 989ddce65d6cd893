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

/** Numbers by size: one `.dat` and one `.csv` file. */
export interface Table {
  /** A stable id of the table: unlike its name it follows from the names of store and cache. */
  readonly key: string
  /** File name without its ending. */
  readonly name: string
  /** One sentence about what it holds. */
  readonly title: string
  /** The first is the size; names end with their unit. */
  readonly columns: readonly string[]
  /** Ascending by size; `null` where nothing was measured. */
  readonly rows: readonly (readonly (number | null)[])[]
}

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
