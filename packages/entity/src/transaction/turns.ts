/** Runs functions one after the other, in the order in which they were given. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()
  #open = 0

  /** Whether some have not ended yet. */
  get isBusy(): boolean {
    return this.#open > 0
  }

  /** Run it after those before, whether they failed or not. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    this.#open++
    const turn = this.#last.then(work).finally(() => this.#open--)
    // A failure is told to the caller of its own turn alone.
    this.#last = turn.catch(() => {})
    return turn
  }
}
