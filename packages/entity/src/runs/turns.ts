/** Runs functions one after the other, in the order in which they were given. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Run it after those before, whether they failed or not. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    // A failure is told to the caller of its own turn alone.
    this.#last = turn.catch(() => {})
    return turn
  }
}
