import { monotonicClock, pause } from '@unikv/core/platform'

/** Keeps work at a number of records a second. */
export class Pace {
  readonly #msEach: number
  #nextAt = 0

  constructor(recordsPerSecond: number) {
    this.#msEach = 1_000 / recordsPerSecond
  }

  /** Wait until so many more records are due. */
  async take(records: number, signal: AbortSignal | undefined): Promise<void> {
    const now = monotonicClock()
    const at = Math.max(now, this.#nextAt)
    this.#nextAt = at + records * this.#msEach
    if (at > now) await pause(at - now, { signal })
  }
}
