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

/** Works on one key one after another, in the order in which they came. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Resolves when no work is left. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values())
  }

  /** Do the work when those before it on this key have ended, however they ended. */
  run<T>(key: string, work: () => Awaitable<T>): Awaitable<T> {
    const before = this.#last.get(key)
    const answer = before === undefined ? work() : before.then(work)
    if (!isPromise(answer)) return answer
    const ended = answer.then(nothing, nothing)
    this.#last.set(key, ended)
    void ended.then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key)
    })
    return answer
  }
}

function nothing(): void {}
