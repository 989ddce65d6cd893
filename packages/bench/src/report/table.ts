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
