import type { Awaitable } from '../contract/awaitable.ts'
import type { Call } from '../contract/call.ts'
import { abortError, closedError, timeoutError } from '../contract/call-errors.ts'
import { isWritten } from '../contract/entry.ts'
import { isStoreError, StoreError } from '../contract/errors.ts'
import type { CallOptions, CallPart, WriteResult } from '../contract/store.ts'
import type { Deadlines, Waiting } from '../platform/deadlines.ts'
import { unwatch, watch } from '../platform/signals.ts'
import { type Deferred, promiseFor } from './deferred.ts'
import type { Gate, Keyed, Mode, Ordered, ProgramOrder } from './program-order.ts'

/** The subject of a call. */
export interface Subject<A, T> {
  /** The operation of KeyValue, for errors. */
  readonly operation: string
  readonly mode: Mode
  readonly items: readonly Keyed[]
  readonly call: Call
  /** Turns the store's answer into the result for the caller; may throw. */
  readonly finish: (answer: A) => T
}

/** A call under way, as far as its deadline and the end of the KeyValue are concerned. */
export interface CallUnderWay extends Waiting {
  readonly items: readonly Keyed[]
  readonly mode: Mode
  ended(): Promise<void>
  abandon(): void
}

/** The engine of a KeyValue, as far as a call that waits is concerned. */
export interface CallEngine {
  readonly order: ProgramOrder
  readonly underWay: Deadlines<CallUnderWay>
  /** An error with the operation, the store, and the key if there is one; `sent`: of a write that went out. */
  located(error: unknown, operation: string, items: readonly Keyed[], sent: boolean): StoreError
}

/** One call that waits for its answer: ends once, with the answer, at its deadline, or by its signal. */
export class Pending<A, T> implements CallUnderWay, Ordered, Deferred<T> {
  // Declared, and assigned once: a field would be defined first.
  declare readonly items: readonly Keyed[]
  declare readonly mode: Mode
  readonly #promise: Promise<T>
  readonly #engine: CallEngine
  readonly #operation: string
  readonly #call: Call
  readonly #finish: (answer: A) => T
  #turn: Promise<void> | undefined
  #work: Promise<A> | undefined
  #done = false
  #listeners: (() => void)[] | undefined
  // The ends of its promise, and what `Deadlines` and `ProgramOrder` keep of it.
  declare resolve: (value: T) => void
  declare reject: (error: unknown) => void
  expiresAt = 0
  place = -1
  seat = -1
  gates: readonly Gate[] = []

  constructor(engine: CallEngine, { operation, mode, items, call, finish }: Subject<A, T>) {
    this.items = items
    this.mode = mode
    this.#engine = engine
    this.#operation = operation
    this.#call = call
    this.#finish = finish
    this.#promise = promiseFor(this)
    const { timeoutMs, signal } = call
    engine.underWay.add(timeoutMs, this)
    watch(signal, this)
  }

  /** Take the place of its keys, which are free, and answer with this work. */
  enter(work: Promise<A>): Promise<T> {
    this.#engine.order.enter(this)
    return this.#follow(work)
  }

  /** Wait for a place in the order of the keys, then answer with the work. */
  queue(start: () => Awaitable<A>): Promise<T> {
    const call = this.#call
    void call.deadlineAt // fixes it: the store is asked later
    this.#turn = new Promise<void>((resolve) => this.#engine.order.wait(this, resolve))
    return this.#follow(
      this.#turn.then(() => {
        if (call.settled) throw timeoutError(call, this.#isWrite)
        return start()
      }),
    )
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
    this.#cut(timeoutError(this.#call, this.#isWrite))
  }

  /** The signal has come. */
  handleEvent(): void {
    this.#cut(abortError(this.#call, this.#isWrite))
  }

  /** The KeyValue closes and waits no longer. */
  abandon(): void {
    const isUnsure = this.#isWrite && this.#call.sent
    this.#cut(isUnsure ? timeoutError(this.#call, true) : closedError())
  }

  get #isWrite(): boolean {
    return this.mode === 'write'
  }

  #follow(work: Promise<A>): Promise<T> {
    this.#work = work
    work.then(
      (answer) => this.#settle(answer),
      (error: unknown) => this.#fail(error),
    )
    return this.#promise
  }

  #settle(answer: A): void {
    if (!this.#end()) return
    try {
      this.resolve(this.#finish(answer))
    } catch (error) {
      this.reject(this.#located(error))
    }
  }

  #fail(error: unknown): void {
    if (this.#end()) this.reject(this.#located(error))
  }

  /** Answer before the work does. */
  #cut(error: StoreError): void {
    this.#call.settled = true
    if (this.#end(true))
      this.reject(this.#located(this.#isWrite ? endedInParts(error, this.#call, this.items.length) : error))
  }

  /** Whether this is the first end of the call; nothing of it stays behind but a write that is on its way. */
  #end(early = false): boolean {
    if (this.#done) return false
    this.#done = true
    this.#engine.underWay.remove(this)
    unwatch(this.#call.signal, this)
    if (early || this.#turn !== undefined) this.#leaveLater(early)
    else this.#engine.order.leave(this)
    this.#listeners?.forEach((listener) => listener())
    return true
  }

  /** A write that was given up may still take effect: a later one of its key must not be overtaken by it. */
  #leaveLater(early: boolean): void {
    const leave = (): void => this.#engine.order.leave(this)
    if (early && this.#isWrite) void this.#work?.then(leave, leave)
    else if (this.#turn === undefined) leave()
    else void this.#turn.then(leave)
  }

  #located(error: unknown): Error {
    const isUnsure = this.#isWrite && this.#call.sent
    return this.#engine.located(error, this.#operation, this.items, isUnsure)
  }
}

/** The error of a batch of `size` items that ends early in several parts, with what is known of each item. */
function endedInParts(error: StoreError, { parts }: CallOptions, size: number): StoreError {
  const results = toldOf(parts, size) ?? []
  const written = results.filter((one) => isWritten(one as WriteResult)).length
  const isUnsure = results.some((one) => isStoreError(one) && one.code === 'OUTCOME_UNKNOWN')
  if (!written && !isUnsure) return error
  const message = `The call ended early: ${written} of ${size} items are known to be written; see error.results.`
  return new StoreError(isUnsure ? 'OUTCOME_UNKNOWN' : 'PARTIAL', message, { results, cause: error })
}

/** The known outcome of each item; `undefined` if these parts do not cover all items. A part may have parts itself. */
function toldOf(parts: readonly CallPart[] | undefined, size: number): readonly unknown[] | undefined {
  if (parts?.reduce((sum, part) => sum + part.size, 0) !== size) return undefined
  return parts.flatMap(
    (part) =>
      part.results ??
      toldOf(part.parts, part.size) ??
      Array.from({ length: part.size }, () => timeoutError(part, true)),
  )
}
