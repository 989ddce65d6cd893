import type { CallOptions, StoreError } from '@unikv/core'
import { Deadlines, endOf, leftMs, type Waiting } from '@unikv/core/adapter'
import { unwatch, watch } from '@unikv/core/platform'
import { cassandraError, type Failed } from '../errors.ts'
import type { CassandraClient, CassandraQueryOptions, CassandraResult } from './cassandra-client.ts'
import { odd } from './replies.ts'

/** A statement, ready to be executed. */
export interface Request {
  readonly cql: string
  readonly params: readonly unknown[]
  readonly options: CassandraQueryOptions
}

/** What an answer means, by the number of its statement. Must not throw. */
export type ResultOf<T> = (answer: CassandraResult, index: number) => T

/** Where statements are executed, and what is said of one that fails. */
export interface Target {
  readonly client: CassandraClient
  readonly failed: Failed
}

/** One statement: its answer or its error, or that of the call if this ends before. */
export function executeOne<T>(
  { client, failed }: Target,
  { cql, params, options }: Request,
  call: CallOptions,
  resultOf: ResultOf<T>,
): Promise<[T | StoreError]> {
  return new Promise((resolve) => {
    const one = new One(call, failed.isWrite, resolve)
    client.execute(cql, params, options).then(
      (answer) => one.settle(isAnswer(answer) ? resultOf(answer, 0) : odd(failed.isWrite)),
      (error: unknown) => one.settle(cassandraError(error, failed)),
    )
  })
}

/** Whether the driver gave an answer at all: for some replies it gives none. */
function isAnswer(answer: unknown): answer is CassandraResult {
  return typeof answer === 'object' && answer !== null
}

/** Statements, at most `width` of them under way at a time: the answer or the error of each, in their order. */
export function executeAll<T>(
  target: Target,
  requests: readonly Request[],
  call: CallOptions,
  width: number,
  resultOf: ResultOf<T>,
): Promise<(T | StoreError)[]> {
  return new Promise((resolve) => {
    new Many(target, requests, call, resultOf, resolve).start(width)
  })
}

/** One timer for all calls of this process. */
const deadlines = new Deadlines<Waiting>()

/** Ends by the deadline and by the signal of its call. */
abstract class Bounded implements Waiting {
  expiresAt = 0
  place = -1
  protected readonly call: CallOptions
  protected readonly isWrite: boolean

  constructor(call: CallOptions, isWrite: boolean) {
    this.call = call
    this.isWrite = isWrite
    if (call.deadlineAt !== Number.POSITIVE_INFINITY) this.#wait()
    watch(call.signal, this)
  }

  expire(): void {
    const error = endOf(this.call, this.isWrite)
    // After a blocked event loop the timer may be a moment early.
    if (error === undefined) this.#wait()
    else this.cut(error)
  }

  /** The signal of the call was aborted. */
  handleEvent(): void {
    this.expire()
  }

  /** The call has ended, with this error for what is still under way. */
  protected abstract cut(error: StoreError): void

  protected forget(): void {
    deadlines.remove(this)
    unwatch(this.call.signal, this)
  }

  #wait(): void {
    deadlines.add(leftMs(this.call), this)
  }
}

class One<T> extends Bounded {
  readonly #resolve: (results: [T | StoreError]) => void

  constructor(call: CallOptions, isWrite: boolean, resolve: (results: [T | StoreError]) => void) {
    super(call, isWrite)
    this.#resolve = resolve
  }

  settle(result: T | StoreError): void {
    this.forget()
    this.#resolve([result])
  }

  protected cut(error: StoreError): void {
    this.settle(error)
  }
}

/** Holds the place of a result that is still to come. */
const missing = Symbol('missing')

class Many<T> extends Bounded {
  readonly #target: Target
  readonly #requests: readonly Request[]
  readonly #resultOf: ResultOf<T>
  readonly #resolve: (results: (T | StoreError)[]) => void
  readonly #found: (T | StoreError | typeof missing)[]
  #sent = 0
  /** How many have no result yet. */
  #left: number

  constructor(
    target: Target,
    requests: readonly Request[],
    call: CallOptions,
    resultOf: ResultOf<T>,
    resolve: (results: (T | StoreError)[]) => void,
  ) {
    super(call, target.failed.isWrite)
    this.#target = target
    this.#requests = requests
    this.#resultOf = resultOf
    this.#resolve = resolve
    this.#left = requests.length
    this.#found = requests.map(() => missing)
  }

  start(width: number): void {
    const first = Math.min(this.#requests.length, width)
    while (this.#sent < first) this.#send()
  }

  protected cut(error: StoreError): void {
    // What was not sent changes no more than a read.
    const unsent = endOf(this.call, false) ?? error
    const found = this.#found
    for (let i = 0; i < found.length; i++)
      if (found[i] === missing) found[i] = i < this.#sent ? error : unsent
    this.#end()
  }

  #send(): void {
    const { client, failed } = this.#target
    const index = this.#sent++
    const { cql, params, options } = this.#requests[index] as Request
    client.execute(cql, params, options).then(
      (answer) => this.#settle(index, isAnswer(answer) ? this.#resultOf(answer, index) : odd(failed.isWrite)),
      (error: unknown) => this.#settle(index, cassandraError(error, failed)),
    )
  }

  #settle(index: number, result: T | StoreError): void {
    if (this.#left === 0) return
    this.#found[index] = result
    if (--this.#left === 0) this.#end()
    else if (this.#sent < this.#found.length) this.#goOn()
  }

  /** A statement has made room for the next; if the call has ended meanwhile, nothing may start. */
  #goOn(): void {
    const error = endOf(this.call, this.isWrite)
    if (error === undefined) this.#send()
    else this.cut(error)
  }

  #end(): void {
    this.#left = 0
    this.forget()
    this.#resolve(this.#found as (T | StoreError)[])
  }
}
