import { AbortController, pause } from '@unikv/core/platform'

/** Messages for one reader, in their order. */
export class Inbox<T> {
  readonly #messages: T[] = []
  #wake: AbortController | undefined

  put(message: T): void {
    this.#messages.push(message)
    this.wake()
  }

  /** Let the reader look, even without a message. */
  wake(): void {
    this.#wake?.abort()
  }

  /** The next message; `undefined` if there is none for so long, or when the reader was woken. */
  async next(waitMs: number): Promise<T | undefined> {
    if (this.#messages.length === 0) {
      this.#wake = new AbortController()
      await pause(waitMs, { signal: this.#wake.signal })
      this.#wake = undefined
    }
    return this.#messages.shift()
  }
}
