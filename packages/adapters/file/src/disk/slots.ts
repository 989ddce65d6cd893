import { type Awaitable, isPromise } from '@unikv/core'

/** At most so many works at once, so that a store does not open more files than a process may. */
export class Slots {
  #free: number
  readonly #count: number
  readonly #waiting: (() => void)[] = []
  #whenIdle: (() => void)[] = []

  constructor(count: number) {
    this.#count = count
    this.#free = count
  }

  /** Do the work when there is room. */
  run<T>(work: () => Awaitable<T>): Awaitable<T> {
    if (this.#free === 0)
      return new Promise<void>((resolve) => this.#waiting.push(resolve)).then(() => this.#occupied(work))
    this.#free--
    return this.#occupied(work)
  }

  /** Resolves when no work is left. */
  async idle(): Promise<void> {
    if (this.#free < this.#count) await new Promise<void>((resolve) => this.#whenIdle.push(resolve))
  }

  #occupied<T>(work: () => Awaitable<T>): Awaitable<T> {
    let answer: Awaitable<T>
    try {
      answer = work()
    } catch (error) {
      this.#leave()
      throw error
    }
    if (isPromise(answer)) return answer.finally(() => this.#leave())
    this.#leave()
    return answer
  }

  /** Give the slot to the call that has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next !== undefined) return next()
    this.#free++
    if (this.#free < this.#count) return
    for (const resolve of this.#whenIdle) resolve()
    this.#whenIdle = []
  }
}
