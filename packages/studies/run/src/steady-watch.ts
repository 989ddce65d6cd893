import { AbortController } from '@unikv/core/platform'
import type { SeriesInterval } from '@unikv/workload/loop'
import { isSteady } from '@unikv/workload/statistics'

/** A warm-up lasts no longer, however the store behaves. */
export const longestWarmupMs = 60_000

/** Ends a warm-up when its seconds are alike: by the throughput, or at a rate by the median time. */
export class SteadyWatch {
  readonly #end = new AbortController()
  readonly #figures: number[] = []
  readonly #isAtRate: boolean
  readonly #given: AbortSignal
  readonly #stop = (): void => this.#end.abort(this.#given.reason)

  /** @param given ends the warm-up, too */
  constructor(given: AbortSignal, isAtRate: boolean) {
    this.#given = given
    this.#isAtRate = isAtRate
    if (given.aborted) this.#stop()
    else given.addEventListener('abort', this.#stop, { once: true })
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** Look at a second that is over. */
  saw({ all, lengthMs }: SeriesInterval): void {
    const figure = this.#isAtRate ? all.p50Ms : all.operations / lengthMs
    if (figure === null) return
    this.#figures.push(figure)
    if (isSteady(this.#figures)) this.#end.abort()
  }

  close(): void {
    this.#given.removeEventListener('abort', this.#stop)
  }
}
