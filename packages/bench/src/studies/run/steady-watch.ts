import type { SeriesInterval } from '../../loop/interval-sample.ts'
import { isSteady } from '../../statistics/steady.ts'
import { EarlyEnd, type Watch } from './early-end.ts'

/** A warm-up lasts no longer, however the store behaves. */
export const longestWarmupMs = 60_000

/** Ends a warm-up when its seconds are alike: by the throughput, or at a rate by the median time. */
export class SteadyWatch implements Watch {
  readonly #end: EarlyEnd
  readonly #figures: number[] = []
  readonly #isAtRate: boolean
  #isSteady = false

  /** @param given ends the warm-up, too */
  constructor(given: AbortSignal, isAtRate: boolean) {
    this.#isAtRate = isAtRate
    this.#end = new EarlyEnd(given)
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Look at a second that is over. */
  saw({ all, lengthMs }: SeriesInterval): void {
    const figure = this.#isAtRate ? all.p50Ms : all.operations / lengthMs
    if (figure === null) return
    this.#figures.push(figure)
    this.#isSteady ||= isSteady(this.#figures)
    if (this.#isSteady) this.#end.end()
  }

  /** Whether its seconds came to be alike. */
  get isSteady(): boolean {
    return this.#isSteady
  }

  close(): void {
    this.#end.close()
  }
}
