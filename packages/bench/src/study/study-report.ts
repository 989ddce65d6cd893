import type { Row } from '../cube/row.ts'
import type { Figure, Table } from '../report/figure.ts'
import type { ReportTable } from '../report/report-table.ts'

/** How a study tells what it found. All functions are pure. */
export interface StudyReport<R> {
  /** Heading of the page, without names of stores. */
  readonly title: string
  /** Heading of the page of one result. @default the title with the names of the stores */
  heading?(result: R): string
  /** The data in a few words, for a study whose data is not the values that the command was given. @default those values */
  dataOf?(result: R): string
  /** Sections of the page with figures, in their order. */
  readonly sections: readonly ReportSection[]
  /** The findings of the result, in sentences. */
  findings(result: R): readonly string[]
  /** The tables for people that the page shows above its figures. @default none */
  pageTables?(result: R): readonly ReportTable[]
  /** Names of further formats that the command line can print. @default none */
  readonly formats?: readonly string[] | undefined
  /** The result in one of `formats`. */
  formatted?(format: string, result: R): string
  /** Tables for people. */
  summary(result: R): readonly ReportTable[]
  /** Columns of numbers: one `.dat` and one `.csv` file each. */
  tables(result: R): readonly Table[]
  /** All that was measured, in the form of every study: `rows.csv` of the result folder. */
  rows(result: R): readonly Row[]
  /** Further files of the result folder, by name. @default none */
  files?(result: R): ReadonlyMap<string, string>
  /** Plots, in the order of the page. */
  figures(result: R): readonly Figure[]
  /** The numbers of a figure, for people. */
  besides(figure: Figure, result: R): FigureTables
  /** The setup of a result, besides stores, data and machine. */
  setup(result: R): readonly SetupLine[]
  /** How it was measured, as HTML. */
  method(result: R): string
}

/** A section of the page. */
export interface ReportSection {
  readonly id: string
  readonly title: string
  /** One sentence. */
  readonly lead: string
}

/** Tables of a figure, as HTML. */
export interface FigureTables {
  readonly beside: string
  readonly below: string
}

/** A line of the setup. */
export type SetupLine = readonly [name: string, value: string]
