import type { CallOptions } from '@unikv/core'
import { bounded } from '@unikv/core/adapter'
import { clearTimeout, setTimeout } from '@unikv/core/platform'

/** Callers that wait for an answer: each until it comes, to its own deadline, or to its own signal. */
export class Waiters {
  readonly #waiting = new Set<Waiter>()
  #emptied: () => void = () => {}

  /**
   * The answer of `ask`. `gone` is called when the caller is told an error before it came.
   *
   * @throws {StoreError} `TIMEOUT` or `ABORTED`, with `call.settled`; errors of `ask` pass as they are
   */
  wait<T>(call: CallOptions, ask: () => Promise<T>, gone: () => void): Promise<T> {
    const left = (): void => {
      call.settled = true
      gone()
    }
    return new Promise<T>((resolve, reject) => {
      const waiter = { call, reject, gone: left }
      this.#waiting.add(waiter)
      const forget = (): void => {
        this.#waiting.delete(waiter)
        if (this.#waiting.size === 0) this.#emptied()
      }
      void bounded(call, false, ask, left).then(resolve, reject).then(forget)
    })
  }

  /** Wait until no caller waits, for this long at most. */
  async drained(graceMs: number): Promise<void> {
    if (this.#waiting.size === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, graceMs)
      this.#emptied = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Tell this to all who still wait. */
  dismiss(error: () => Error): void {
    for (const { reject, gone } of this.#waiting) {
      reject(error())
      gone()
    }
    this.#waiting.clear()
  }
}

interface Waiter {
  readonly call: CallOptions
  readonly reject: (error: unknown) => void
  readonly gone: () => void
}
