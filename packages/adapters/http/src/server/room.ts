import { StoreError } from '@unikv/core'

/** Bytes of the values of an answer with several. */
const mostBytes = 67_108_864

/** Values that are read at once before their sizes are known. */
const firstStep = 32

/** The room for the values of one answer: no request may fill the memory, whatever the store has. */
export class Room {
  #bytes = 0
  #values = 0

  get isFull(): boolean {
    return this.#bytes >= mostBytes
  }

  /** How many values to read next: about as many as there is room for, by those before. */
  get step(): number {
    if (this.#values === 0) return firstStep
    const mean = Math.max(1, this.#bytes / this.#values)
    return Math.max(1, Math.floor((mostBytes - this.#bytes) / mean))
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
      `The values that were asked for have more than ${mostBytes} bytes together. Ask for the rest apart.`,
    )
  }
}
