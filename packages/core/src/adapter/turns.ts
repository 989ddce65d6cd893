/** Work of one key after the other, first come, first served; at once where nothing is under way. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Run when all earlier work of these keys has ended. */
  async take<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = keys.flatMap((key) => this.#last.get(key) ?? [])
    const mine = before.length === 0 ? work() : Promise.allSettled(before).then(work)
    for (const key of keys) this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      for (const key of keys) if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }

  /** Resolves when all that is under way now has ended. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#last.values())
  }
}
