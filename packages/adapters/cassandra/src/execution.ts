import type { CallOptions, StoreError } from '@unikv/core'
import { Deadlines, endOf, type Waiting } from '@unikv/core/adapter'
import type { CassandraResult } from './cassandra-client.ts'

/** Of all statements of this process: one timer. */
const deadlines = new Deadlines<Execution>()

/** One statement on its way: ends once, with its answer or with its call. */
export class Execution implements Waiting {
  expiresAt = 0
  place = -1
  /** @throws {StoreError} `TIMEOUT`, `ABORTED` or `OUTCOME_UNKNOWN` when the call ends, or what `errorOf` made */
  readonly result: Promise<CassandraResult>
  readonly #call: CallOptions
  readonly #isWrite: boolean
  #resolve!: (result: CassandraResult) => void
  #reject!: (error: StoreError) => void

  constructor(
    call: CallOptions,
    isWrite: boolean,
    answer: Promise<CassandraResult>,
    errorOf: (error: unknown) => StoreError,
  ) {
    this.#call = call
    this.#isWrite = isWrite
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    const { deadlineAt, signal } = call
    if (deadlineAt !== Number.POSITIVE_INFINITY) deadlines.add(deadlineAt - performance.now(), this)
    signal?.addEventListener('abort', this)
    answer.then(
      (result) => {
        this.#end()
        this.#resolve(result)
      },
      (error: unknown) => {
        this.#end()
        this.#reject(errorOf(error))
      },
    )
  }

  expire(): void {
    this.#end()
    // The deadline has come, or the signal: there is an error for it.
    this.#reject(endOf(this.#call, this.#isWrite) as StoreError)
  }

  /** The signal of the call was aborted. */
  handleEvent(): void {
    this.expire()
  }

  #end(): void {
    deadlines.remove(this)
    this.#call.signal?.removeEventListener('abort', this)
  }
}
