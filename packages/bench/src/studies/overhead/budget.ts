import { performance } from '@unikv/core/platform'
import type { OverheadConfig } from './config.ts'
import { operations } from './plan.ts'

/** The time that a volume would need, and the time that is left for its store. */
export interface TooLong {
  readonly needsMs: number
  readonly leftMs: number
}

/** Tells which volumes of one store fit into its share of the time. The smallest one always does. */
export class Budget {
  readonly #endsAt: number
  readonly #measureMs: number
  #loaded = 0
  #loadMs = 0

  /**
   * @param stores - how many share the time
   * @param sides - how many work on this store
   */
  constructor(config: OverheadConfig, stores: number, sides: number) {
    const { budgetMs, warmupMs, durationMs, runs } = config
    this.#endsAt = performance.now() + (budgetMs ?? Number.POSITIVE_INFINITY) / stores
    this.#measureMs = operations.length * sides * (warmupMs + runs * durationMs)
  }

  /** `undefined`: so many records fit. */
  tooLong(volume: number): TooLong | undefined {
    if (this.#loaded === 0) return undefined
    const needsMs = (this.#loadMs / this.#loaded) * (volume - this.#loaded) + this.#measureMs
    const leftMs = Math.max(0, this.#endsAt - performance.now())
    return needsMs <= leftMs ? undefined : { needsMs, leftMs }
  }

  /** The store has so many records, and the last of them took so long. */
  loaded(volume: number, ms: number): void {
    this.#loaded = volume
    this.#loadMs += ms
  }
}
