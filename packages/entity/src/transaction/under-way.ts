import { nextTick } from '@unikv/core/platform'
import { afterEnd, endedBefore } from './refusals.ts'

/** A call that has not ended, as the application holds it. */
interface OpenCall {
  promise: Promise<unknown> | undefined
}

/** Calls of one transaction: reads and changes that are under way, and those that come after its end. */
export class UnderWay {
  readonly #calls: Set<OpenCall> = new Set()
  #state: 'open' | 'ended' | 'sealed' = 'open'
  #hasLate = false

  /** Run a call of the transaction; after the end it is refused. */
  track<T>(operation: string, work: () => Promise<T>): Promise<T> {
    if (this.#state !== 'open') return this.#refuse(operation)
    const call: OpenCall = { promise: undefined }
    this.#calls.add(call)
    const promise = this.#ended(call, work)
    call.promise = promise
    return promise
  }

  /** @throws {StoreError} `INVALID_ARGUMENT` in a call that was under way at the end */
  checkOpen(operation: string): void {
    if (this.#state !== 'open') throw endedBefore(operation)
  }

  /** No call begins any more. Returns whether some are under way. `run` tells of those, so their errors must not end the process. */
  end(): boolean {
    this.#state = 'ended'
    for (const { promise } of this.#calls) promise?.catch(() => {})
    return this.#calls.size > 0
  }

  /**
   * From now on nothing can be told by `run`. Resolves to whether a call has come since the end. A function that goes on somewhere may be between two
   * calls, so it gets a moment.
   */
  async seal(): Promise<boolean> {
    await new Promise<void>((resolve) => nextTick(resolve))
    if (!this.#hasLate) this.#state = 'sealed'
    return this.#hasLate
  }

  async #ended<T>(call: OpenCall, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      this.#calls.delete(call)
    }
  }

  #refuse<T>(operation: string): Promise<T> {
    const refused = Promise.reject<T>(afterEnd(operation))
    if (this.#state === 'sealed') return refused
    this.#hasLate = true
    refused.catch(() => {})
    return refused
  }
}
