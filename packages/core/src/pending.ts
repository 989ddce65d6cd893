import { setMaxListeners } from 'node:events'
import type { Awaitable } from './awaitable.ts'
import { abortError, type Call, closedError, timeoutError } from './call.ts'
import { type DeadlineNode, deadlines } from './deadlines.ts'
import type { Engine } from './engine.ts'
import type { Keyed, Mode } from './program-order.ts'

/** What a call is about. */
export interface Subject<A, T> {
  /** Of KeyValue, for errors. */
  readonly operation: string
  readonly mode: Mode
  readonly items: readonly Keyed[]
  readonly call: Call
  /** What the caller gets of the store's answer; it may throw. */
  readonly finish: (answer: A) => T
}

/** One call that waits for its answer: ends once, with the answer, at its deadline, or by its signal. */
export class Pending<A, T> implements DeadlineNode {
  readonly promise: Promise<T>
  readonly #engine: Engine
  readonly #subject: Subject<A, T>
  #resolve!: (value: T) => void
  #reject!: (error: unknown) => void
  #turn: Promise<void> | undefined
  #work: Promise<A> | undefined
  #done = false
  #listeners: (() => void)[] | undefined
  // Of the list that `deadlines` keeps.
  expiresAt = 0
  list: DeadlineNode['list']
  previous: DeadlineNode | undefined
  next: DeadlineNode | undefined

  constructor(engine: Engine, subject: Subject<A, T>) {
    this.#engine = engine
    this.#subject = subject
    this.promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    const { call } = subject
    void call.deadlineAt // fixes it now that the call waits
    if (call.timeoutMs !== Number.POSITIVE_INFINITY) deadlines.add(call.timeoutMs, this)
    if (call.signal !== undefined) {
      // Any number of calls may share a signal: that is no leak.
      setMaxListeners(0, call.signal)
      call.signal.addEventListener('abort', this)
    }
    engine.underWay.add(this)
  }

  /** Answer with this work, which holds its place in the order of its keys already. */
  follow(work: Promise<A>): Promise<T> {
    this.#work = work
    work.then(
      (answer) => this.#settle(answer),
      (error: unknown) => this.#fail(error),
    )
    return this.promise
  }

  /** Wait for a place in the order of the keys, then answer with the work. */
  queue(start: () => Awaitable<A>): Promise<T> {
    const { items, mode, call } = this.#subject
    this.#turn = new Promise<void>((resolve) => this.#engine.order.wait(items, mode, resolve))
    return this.follow(
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
    this.#cut(timeoutError(this.#subject.call, this.#isWrite))
  }

  /** The signal has come. */
  handleEvent(): void {
    this.#cut(abortError(this.#subject.call, this.#isWrite))
  }

  /** The KeyValue closes and waits no longer. */
  abandon(): void {
    const { call } = this.#subject
    this.#cut(this.#isWrite && call.sent ? timeoutError(call, true) : closedError())
  }

  get #isWrite(): boolean {
    return this.#subject.mode === 'write'
  }

  #settle(answer: A): void {
    if (!this.#end()) return
    try {
      this.#resolve(this.#subject.finish(answer))
    } catch (error) {
      this.#reject(this.#located(error))
    }
  }

  #fail(error: unknown): void {
    if (this.#end()) this.#reject(this.#located(error))
  }

  /** Answer before the work does. */
  #cut(error: Error): void {
    this.#subject.call.settled = true
    if (this.#end(true)) this.#reject(this.#located(error))
  }

  /** Whether this is the first end of the call; nothing of it stays behind but a write that is on its way. */
  #end(early = false): boolean {
    if (this.#done) return false
    this.#done = true
    deadlines.remove(this)
    this.#subject.call.signal?.removeEventListener('abort', this)
    this.#engine.underWay.delete(this)
    const leave = () => this.#engine.order.leave(this.#subject.items, this.#subject.mode)
    // A write that was given up may still take effect: a later one of its key must not be overtaken by it.
    if (early && this.#isWrite) void this.#work?.then(leave, leave)
    else if (this.#turn === undefined) leave()
    else void this.#turn.then(leave)
    for (const listener of this.#listeners ?? []) listener()
    return true
  }

  #located(error: unknown): Error {
    const { operation, items, call } = this.#subject
    return this.#engine.located(error, operation, items, this.#isWrite && call.sent)
  }
}
