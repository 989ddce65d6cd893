/** Guesses how long the rest of a plan takes. */
export class RemainingTime<C> {
  readonly #nameOf: (cell: C) => string
  readonly #seen = new Map<string, number>()
  #totalMs = 0
  #count = 0

  /** `nameOf`: equal for cells of several runs that do the same. */
  constructor(nameOf: (cell: C) => string) {
    this.#nameOf = nameOf
  }

  /** A cell took so long. */
  took(cell: C, elapsedMs: number): void {
    this.#seen.set(this.#nameOf(cell), elapsedMs)
    this.#totalMs += elapsedMs
    this.#count++
  }

  /**
   * Milliseconds for these cells: of a cell that was seen in an earlier run as long as then, of others the mean.
   * `undefined` before anything was seen.
   */
  of(cells: readonly C[]): number | undefined {
    if (this.#count === 0) return undefined
    const mean = this.#totalMs / this.#count
    return cells.reduce((sum, cell) => sum + (this.#seen.get(this.#nameOf(cell)) ?? mean), 0)
  }
}
