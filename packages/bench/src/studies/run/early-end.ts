import { AbortController } from '@unikv/core/platform'
import type { IntervalSample, SeriesInterval } from '../../loop/interval-sample.ts'

/** Looks at each second of a run, and may end it. */
export interface Watch {
  readonly signal: AbortSignal
  saw(interval: SeriesInterval, sample: IntervalSample): void
  close(): void
}

/** A signal that ends a run early, also when another one does. */
export class EarlyEnd {
  readonly #end = new AbortController()
  readonly #given: AbortSignal
  readonly #stop = (): void => this.#end.abort(this.#given.reason)

  /** @param given ends the run, too */
  constructor(given: AbortSignal) {
    this.#given = given
    if (given.aborted) this.#stop()
    else given.addEventListener('abort', this.#stop, { once: true })
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  /** End the run. */
  end(): void {
    this.#end.abort()
  }

  /** The run is over. */
  close(): void {
    this.#given.removeEventListener('abort', this.#stop)
  }
}
