import { type Awaitable, areAtHand, isPromise } from './awaitable.ts'
import { abortError, Call, closedError } from './call.ts'
import { checkedMs } from './checked-ms.ts'
import type { AnyStore } from './compose.ts'
import { Deadlines } from './deadlines.ts'
import { StoreError, toStoreError } from './errors.ts'
import type { CallSettings } from './key-value.ts'
import { type CallEngine, type CallUnderWay, Pending, type Subject } from './pending.ts'
import { type Keyed, ProgramOrder } from './program-order.ts'
import { ownSignal } from './signals.ts'
import type { Mutation, Read, ReadResult, Version, WriteResult } from './store.ts'
import { clearTimeout, setTimeout } from './timers.ts'

type Reads = readonly ReadResult<unknown>[]
type Writes = readonly WriteResult[]
type Mutations = readonly Mutation<unknown>[]

/** Resolved settings of one KeyValue, shared by its namespace views. */
export interface EngineOptions {
  readonly timeoutMs: number
  readonly graceMs: number
  /** Wall clock in milliseconds. */
  readonly clock: () => number
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/**
 * What all views of one KeyValue share: the stack, the order of its calls, their deadlines, and the end of it
 * all. An answer at hand passes through without a promise, a clock or a timer.
 */
export class Engine implements CallEngine {
  // Declared, and assigned once: a field would be defined first.
  declare readonly store: AnyStore
  declare readonly options: EngineOptions
  readonly order: ProgramOrder = new ProgramOrder()
  /** Calls that wait for their answer. */
  readonly underWay: Deadlines<CallUnderWay> = new Deadlines()
  #closing: Promise<void> | undefined

  constructor(store: AnyStore, options: EngineOptions) {
    this.store = store
    this.options = options
  }

  /** Check the settings of a call and open it. */
  call(settings: CallSettings | undefined): Call {
    if (settings === undefined && this.#closing === undefined) return new Call(this.options.timeoutMs)
    return this.#checkedCall(settings ?? {})
  }

  /** Read in program order and within the deadline; `finish` makes of the answer what the caller gets. */
  read<T>(
    operation: string,
    items: readonly Read[],
    call: Call,
    finish: (results: Reads) => T,
  ): Awaitable<T> {
    let work: Promise<Reads> | undefined
    if (this.order.isFree(items, 'read')) {
      try {
        const answer = this.store.read(items, call)
        if (areAtHand(answer)) return finish(answer)
        work = answer
      } catch (error) {
        throw this.located(error, operation, items)
      }
    }
    return this.#wait({ operation, mode: 'read', items, call, finish }, work)
  }

  /** Write in program order and within the deadline. */
  write<T>(operation: string, items: Mutations, call: Call, finish: (results: Writes) => T): Awaitable<T> {
    let work: Promise<Writes> | undefined
    if (this.order.isFree(items, 'write')) {
      try {
        const answer = this.store.write(items, call)
        if (areAtHand(answer)) return finish(answer)
        work = answer
      } catch (error) {
        throw this.located(error, operation, items, call.sent)
      }
    }
    return this.#wait({ operation, mode: 'write', items, call, finish }, work)
  }

  /**
   * An error with the operation, the store, and the key if there is one. What an adapter did not translate is
   * `UNAVAILABLE`, and `OUTCOME_UNKNOWN` if a write was `sent`.
   */
  located(error: unknown, operation: string, items: readonly Keyed[] = [], sent = false): StoreError {
    const only: Partial<Keyed & { version: Version }> | undefined = items.length === 1 ? items[0] : undefined
    const code = sent ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE'
    return toStoreError(error, {
      code,
      operation,
      store: this.store.name,
      key: only?.key,
      version: only?.version,
    })
  }

  /** Put a deadline on work that is no single verb, such as a page of a scan. */
  bounded<T>(operation: string, work: Awaitable<T>, call: Call): Awaitable<T> {
    if (!isPromise(work)) return work
    return this.#wait({ operation, mode: 'read', items: [], call, finish: (value: T) => value }, work)
  }

  /** Wait for all earlier calls: what a scan does before it starts. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay.all().map((pending) => pending.ended()))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  // Apart from `read` and `write`, which every cached read takes: what they do not need makes them too long to be
  // inlined, and a function that makes a closure allocates what it closes over when it is entered.

  /** Wait for this work, or for the turn of a call that could not start. */
  #wait<A, T>(subject: Subject<A, T>, work: Promise<A> | undefined): Promise<T> {
    const pending = new Pending(this, subject)
    if (work !== undefined) return pending.enter(work)
    const { mode, items, call } = subject
    const start = (): Awaitable<unknown> =>
      mode === 'read' ? this.store.read(items, call) : this.store.write(items as Mutations, call)
    return pending.queue(start as () => Awaitable<A>)
  }

  #checkedCall(settings: CallSettings): Call {
    if (this.#closing !== undefined) throw closedError()
    const call = new Call(this.#timeout(settings), ownSignal(settings.signal), this.#consistency(settings))
    if (call.signal?.aborted === true) throw abortError(call, false)
    return call
  }

  async #close(): Promise<void> {
    const { graceMs } = this.options
    if (this.underWay.all().length > 0) await this.#drain(graceMs)
    for (const pending of this.underWay.all()) pending.abandon()
    await this.store.close()
  }

  async #drain(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs)
    })
    await Promise.race([this.settled(), grace])
    clearTimeout(timer)
  }

  #timeout({ timeoutMs = this.options.timeoutMs }: CallSettings): number {
    return checkedMs('timeoutMs', timeoutMs, { code: 'INVALID_ARGUMENT' })
  }

  #consistency({ consistency }: CallSettings): string | undefined {
    const { consistency: levels } = this.store.capabilities
    if (consistency === undefined || levels.includes(consistency)) return consistency
    const known = levels.length === 0 ? 'none' : levels.join(', ')
    throw new StoreError(
      'UNSUPPORTED',
      `${this.store.name} does not offer this consistency level; it offers: ${known}.`,
    )
  }
}
