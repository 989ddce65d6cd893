import type { CallOptions, StoreError } from '@unikv/core'
import { Deadlines, endOf, type Waiting } from '@unikv/core/adapter'
import type { CassandraResult } from './cassandra-client.ts'

/** Of all statements of this process: one timer. */
const deadlines = new Deadlines<Waiting>()

/** What becomes of the driver's answer. */
export interface Ends<T> {
  readonly resultOf: (answer: CassandraResult) => T
  readonly errorOf: (error: unknown) => StoreError
}

/** One statement on its way: ends once, with its answer or with its call. */
export class Execution<T> implements Waiting {
  expiresAt = 0
  place = -1
  /** @throws {StoreError} `TIMEOUT`, `ABORTED` or `OUTCOME_UNKNOWN` when the call ends, or what `errorOf` made */
  readonly result: Promise<T>
  readonly #call: CallOptions
  readonly #isWrite: boolean
  #resolve!: (result: T) => void
  #reject!: (error: StoreError) => void

  constructor(
    call: CallOptions,
    isWrite: boolean,
    answer: Promise<CassandraResult>,
    { resultOf, errorOf }: Ends<T>,
  ) {
    this.#call = call
    this.#isWrite = isWrite
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    if (call.deadlineAt !== Number.POSITIVE_INFINITY) this.#wait()
    call.signal?.addEventListener('abort', this)
    answer.then(
      (result) => {
        this.#end()
        this.#resolve(resultOf(result))
      },
      (error: unknown) => {
        this.#end()
        this.#reject(errorOf(error))
      },
    )
  }

  expire(): void {
    const error = endOf(this.#call, this.#isWrite)
    // After a blocked event loop the timer may be a moment early.
    if (error === undefined) return this.#wait()
    this.#end()
    this.#reject(error)
  }

  /** The signal of the call was aborted. */
  handleEvent(): void {
    this.expire()
  }

  #wait(): void {
    deadlines.add(this.#call.deadlineAt - performance.now(), this)
  }

  #end(): void {
    deadlines.remove(this)
    this.#call.signal?.removeEventListener('abort', this)
  }
}
