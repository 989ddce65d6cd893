import { type CallOptions, StoreError } from '@unikv/core'
import { nextTurn } from '@unikv/core/platform'

/** Bytes that deltas make in one turn of the event loop: about 2 ms. */
const turnBytes = 1_048_576

/** The work of one call, cut so that others have their turns in between. */
export class Pauses {
  readonly #call: CallOptions
  #done = 0

  constructor(call: CallOptions) {
    this.#call = call
  }

  /** Note bytes that were made. Whether it is time for a turn of the others. */
  isDue(bytes: number): boolean {
    this.#done += bytes
    return this.#done >= turnBytes
  }

  /**
   * Let the others have their turn.
   *
   * @throws {StoreError} if the caller has gone meanwhile, and does not want the rest
   */
  async next(): Promise<void> {
    this.#done = 0
    await nextTurn()
    if (this.#call.settled === true)
      throw new StoreError('ABORTED', 'The call ended before the value was assembled.')
  }
}
