import { type Awaitable, isPromise } from '@unikv/core'
import { type TracedCall, tracing } from './channels/tracing.ts'
import type { Counts } from './counts.ts'
import type { NativeMeter } from './meters/store-meters.ts'
import type { QueryName } from './query.ts'

/** A call of a native client, counted and timed under a name. */
export function measured<T>(
  counts: Counts,
  name: string,
  run: () => PromiseLike<T> | T,
  query?: QueryName,
): Promise<T> | T {
  const call = new NativeCall(counts, name, query)
  let answer: PromiseLike<T> | T
  try {
    answer = tracing.native.areHeard ? traced(name, run) : run()
  } catch (error) {
    throw call.failed(error)
  }
  if (!isPromise(answer as Awaitable<T>)) return call.answered(answer as T)
  call.waits()
  // `then` once, as that of a query builder sends the query.
  return Promise.resolve(answer).then(
    (value) => call.answered(value),
    (error: unknown) => {
      throw call.failed(error)
    },
  )
}

/** The call, published. A promise of the client, which may be a query that `then` sends, is asked once. */
function traced<T>(store: string, run: () => PromiseLike<T> | T): PromiseLike<T> | T {
  const message: TracedCall = { store, operation: 'native', items: 1 }
  return tracing.native.trace(message, run as () => Awaitable<T>, () => {
    message.failed = 0
  })
}

class NativeCall {
  readonly #counts: Counts
  readonly #name: string
  readonly #meter: NativeMeter
  /** Counts the same for its kind of query. */
  readonly #query: NativeMeter | undefined
  #startedAt: number
  #queryStartedAt: number
  #isAwaited = false

  constructor(counts: Counts, name: string, query: QueryName | undefined) {
    const { meters } = counts.slot(name)
    this.#counts = counts
    this.#name = name
    this.#meter = meters.native
    this.#query = query === undefined ? undefined : meters.query(query)
    this.#startedAt = this.#meter.start()
    this.#queryStartedAt = this.#query?.start() ?? -1
  }

  waits(): void {
    this.#isAwaited = true
    this.#startedAt = this.#meter.waits(this.#startedAt)
    if (this.#query !== undefined) this.#queryStartedAt = this.#query.waits(this.#queryStartedAt)
  }

  /** Returns the value. */
  answered<T>(value: T): T {
    this.#meter.count()
    this.#query?.count()
    this.#ended(0)
    return value
  }

  /** Returns the error, to be thrown on. */
  failed(error: unknown): unknown {
    this.#meter.failed(error, 1)
    this.#query?.failed(error, 1)
    this.#ended(1)
    return error
  }

  #ended(failed: number): void {
    const { calls } = this.#counts
    if (this.#isAwaited) this.#query?.settled(this.#queryStartedAt, {})
    else if (this.#queryStartedAt !== -1) this.#query?.timed(this.#queryStartedAt)
    const outcome = (durationMs: number) => ({ items: 1, failed, durationMs })
    if (this.#isAwaited)
      calls.awaited(this.#name, this.#meter, outcome(this.#meter.settled(this.#startedAt, {})))
    else if (this.#startedAt !== -1)
      calls.atOnce(this.#name, this.#meter, outcome(this.#meter.timed(this.#startedAt)))
  }
}
