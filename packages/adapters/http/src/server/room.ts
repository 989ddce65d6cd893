import { StoreError } from '@unikv/core'

/** Values that are read at once before their sizes are known. */
const firstStep = 32

/** The room for the values of one answer with several: no request may fill the memory. */
export class Room {
  readonly #most: number
  #bytes = 0
  #values = 0

  /** @param maxBodyBytes the longest body that the server takes: an answer has room for four of them */
  constructor(maxBodyBytes: number) {
    this.#most = 4 * maxBodyBytes
  }

  get isFull(): boolean {
    return this.#bytes >= this.#most
  }

  /** How many values to read next: about as many as there is room for, by those before. */
  get step(): number {
    if (this.#values === 0) return firstStep
    const mean = Math.max(1, this.#bytes / this.#values)
    return Math.max(1, Math.floor((this.#most - this.#bytes) / mean))
  }

  /** Count a value. */
  take(bytes: number): void {
    this.#bytes += bytes
    this.#values++
  }

  /** The error for values that are left out. */
  tooMuch(): StoreError {
    return new StoreError(
      'VALUE_TOO_LARGE',
      `The values that were asked for have more than ${this.#most} bytes together. Ask for the rest apart.`,
    )
  }
}
