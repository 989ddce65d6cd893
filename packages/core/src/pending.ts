import { abortError, type Call, closedError, timeoutError } from './call.ts'
import { type Deadline, deadlines } from './deadlines.ts'
import type { StoreError } from './errors.ts'
import type { Mode } from './program-order.ts'

/** One call that waits for its answer: ends once, with the answer, at its deadline, or by its signal. */
export class Pending {
  readonly #call: Call
  readonly #mode: Mode
  readonly #reject: (error: StoreError) => void
  readonly #leave: () => void
  #deadline: Deadline | undefined
  #done = false
  #listeners: (() => void)[] | undefined

  /** `leave` is called once, at the end; `reject` if the end comes before the answer. */
  constructor(call: Call, mode: Mode, reject: (error: StoreError) => void, leave: () => void) {
    this.#call = call
    this.#mode = mode
    this.#reject = reject
    this.#leave = leave
    const { timeoutMs, signal } = call
    void call.deadlineAt // fixes it now that the call waits
    if (timeoutMs !== Number.POSITIVE_INFINITY) this.#deadline = deadlines.add(timeoutMs, this)
    signal?.addEventListener('abort', this)
  }

  /** Whether this is the first end of the call; nothing of it stays behind. */
  end(): boolean {
    if (this.#done) return false
    this.#done = true
    if (this.#deadline !== undefined) deadlines.remove(this.#deadline)
    this.#call.signal?.removeEventListener('abort', this)
    this.#leave()
    for (const listener of this.#listeners ?? []) listener()
    return true
  }

  /** Resolves at the end, however it comes. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#done) resolve()
      else (this.#listeners ??= []).push(resolve)
    })
  }

  /** The deadline has come. */
  expire(): void {
    this.#fail(timeoutError(this.#call, this.#isWrite))
  }

  /** The signal has come. */
  handleEvent(): void {
    this.#fail(abortError(this.#call, this.#isWrite))
  }

  /** The KeyValue closes and waits no longer. */
  abandon(): void {
    this.#fail(this.#isWrite && this.#call.sent ? timeoutError(this.#call, true) : closedError())
  }

  get #isWrite(): boolean {
    return this.#mode === 'write'
  }

  #fail(error: StoreError): void {
    this.#call.settled = true
    if (this.end()) this.#reject(error)
  }
}
