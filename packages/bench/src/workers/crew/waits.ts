import { AbortController, pause } from '@unikv/core/platform'

/** The caller is asked once whether a phase may begin, when all workers are ready. */
export class Beginning {
  readonly #start: (() => Promise<void>) | undefined
  readonly #answered: (failure?: unknown) => void
  #state: 'no' | 'asked' | 'allowed' | 'begun' = 'no'

  /** @param answered called when the caller has answered, with what it threw */
  constructor(start: (() => Promise<void>) | undefined, answered: (failure?: unknown) => void) {
    this.#start = start
    this.#answered = answered
  }

  get hasBegun(): boolean {
    return this.#state === 'begun'
  }

  /** Whether the phase begins now, for the first time. Asks the caller if it was not asked. */
  begins(): boolean {
    if (this.#state === 'no') this.#ask()
    if (this.#state !== 'allowed') return false
    this.#state = 'begun'
    return true
  }

  #ask(): void {
    this.#state = this.#start === undefined ? 'allowed' : 'asked'
    this.#start?.().then(
      () => {
        this.#state = 'allowed'
        this.#answered()
      },
      (error: unknown) => this.#answered(error),
    )
  }
}

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
