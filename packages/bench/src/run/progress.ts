import { AbortController, pause } from '@unikv/core/platform'
import type { SeriesInterval } from '../loop/interval-sample.ts'
import type { RunNamespace } from './run-namespace.ts'

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
export type BenchEvent<C extends BenchCell = BenchCell> =
  | {
      readonly type: 'started'
      readonly cells: number
      /** The run takes at least so long, with any stores; a better guess comes with each cell. */
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

/** Tells other machines, again and again, that a run still works, also while one of its cells takes long. */
export class SignsOfLife {
  readonly #end = new AbortController()
  readonly #ended: Promise<void>

  /**
   * @param namespaces where to tell it; may grow
   * @param everyMs milliseconds between two signs
   */
  constructor(namespaces: ReadonlyMap<unknown, Pick<RunNamespace, 'heartbeat'>>, everyMs = 10_000) {
    this.#ended = this.#tell(namespaces, everyMs)
  }

  /** Tell nothing more; resolves when nothing is under way. */
  end(): Promise<void> {
    this.#end.abort()
    return this.#ended
  }

  async #tell(
    namespaces: ReadonlyMap<unknown, Pick<RunNamespace, 'heartbeat'>>,
    everyMs: number,
  ): Promise<void> {
    const { signal } = this.#end
    while (!signal.aborted) {
      await pause(everyMs, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      // A store that takes no sign now gets the next one.
      for (const namespace of namespaces.values()) await namespace.heartbeat().catch(() => {})
    }
  }
}
