import type { CallOptions, StoreError } from '@unikv/core'
import { Bounded, endOf } from '@unikv/core/adapter'
import { cassandraError, type Failed } from '../errors.ts'
import type { CassandraClient, CassandraQueryOptions, CassandraResult } from './cassandra-client.ts'
import { odd } from './replies.ts'

/** A statement, ready to be executed. */
export interface Request {
  readonly cql: string
  readonly params: readonly unknown[]
  readonly options: CassandraQueryOptions
}

/** Meaning of an answer, by the number of its statement. Must not throw. */
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

class One<T> extends Bounded {
  readonly #isWrite: boolean
  readonly #resolve: (results: [T | StoreError]) => void

  constructor(call: CallOptions, isWrite: boolean, resolve: (results: [T | StoreError]) => void) {
    super(call)
    this.#isWrite = isWrite
    this.#resolve = resolve
  }

  settle(result: T | StoreError): void {
    this.forget()
    this.#resolve([result])
  }

  protected cut(): void {
    this.settle(endOf(this.call, this.#isWrite) as StoreError)
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
    super(call)
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

  protected cut(): void {
    const error = endOf(this.call, this.#target.failed.isWrite) as StoreError
    // A statement that was not sent changes no more than a read.
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
    if (endOf(this.call, false) === undefined) this.#send()
    else this.cut()
  }

  #end(): void {
    this.#left = 0
    this.forget()
    this.#resolve(this.#found as (T | StoreError)[])
  }
}
