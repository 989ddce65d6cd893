import { performance, setImmediate } from '@unikv/core/platform'

const sliceMs = 4

/** Long work in slices, with room for others between them. */
export class Slices {
  #since = performance.now()

  /** Whether it is time for others. */
  get isOver(): boolean {
    return performance.now() - this.#since > sliceMs
  }

  /** Resolves when others have had the event loop. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#since = performance.now()
  }
}
