import { type Cell, cellName } from './plan.ts'

/** Guesses how long the rest of a plan takes. */
export class RemainingTime {
  readonly #seen = new Map<string, number>()
  #totalMs = 0
  #count = 0

  /** A cell took so long. */
  took(cell: Cell, elapsedMs: number): void {
    this.#seen.set(cellName(cell), elapsedMs)
    this.#totalMs += elapsedMs
    this.#count++
  }

  /**
   * Milliseconds for these cells: of a cell that was seen in an earlier run as long as then, of others the mean.
   * `undefined` before anything was seen.
   */
  of(cells: readonly Cell[]): number | undefined {
    if (this.#count === 0) return undefined
    const mean = this.#totalMs / this.#count
    return cells.reduce((sum, cell) => sum + (this.#seen.get(cellName(cell)) ?? mean), 0)
  }
}
