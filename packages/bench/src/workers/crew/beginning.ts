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
