import { type Awaitable, isPromise } from '../contract/awaitable.ts'

/** Work of one key after the other, first come, first served; at once where nothing is under way. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Run when all earlier work of these keys has ended, however it ended. */
  take<T>(keys: readonly string[], work: () => Promise<T>): Promise<T>
  take<T>(keys: readonly string[], work: () => Awaitable<T>): Awaitable<T>
  take<T>(keys: readonly string[], work: () => Awaitable<T>): Awaitable<T> {
    const before = keys.flatMap((key) => this.#last.get(key) ?? [])
    const mine = before.length === 0 ? work() : Promise.all(before).then(work)
    if (!isPromise(mine)) return mine
    const leave = (): void => {
      for (const key of keys) if (this.#last.get(key) === ended) this.#last.delete(key)
    }
    const ended = mine.then(leave, leave)
    for (const key of keys) this.#last.set(key, ended)
    return mine
  }

  /** Resolves when nothing is under way. */
  async ended(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values())
  }
}
