import { type Awaitable, isPromise } from './awaitable.ts'
import { abortError, Call, closedError, timeoutError } from './call.ts'
import type { AnyStore } from './compose.ts'
import { StoreError, toStoreError } from './errors.ts'
import type { CallSettings } from './key-value.ts'
import { Pending } from './pending.ts'
import { type Mode, ProgramOrder } from './program-order.ts'
import type { Mutation, Read, ReadResult, WriteResult } from './store.ts'

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
export class Engine {
  readonly store: AnyStore
  readonly options: EngineOptions
  readonly #order = new ProgramOrder()
  readonly #underWay = new Set<Pending>()
  #closing: Promise<void> | undefined

  constructor(store: AnyStore, options: EngineOptions) {
    this.store = store
    this.options = options
  }

  /** Check the settings of a call and open it. */
  call(settings: CallSettings | undefined): Call {
    if (this.#closing !== undefined) throw closedError()
    if (settings === undefined) return new Call(this.options.timeoutMs)
    const call = new Call(this.#timeout(settings), settings.signal, this.#consistency(settings))
    if (call.signal?.aborted === true) throw abortError(call, false)
    return call
  }

  read(reads: readonly Read[], call: Call): Awaitable<readonly ReadResult<unknown>[]> {
    return this.#ordered(reads, 'read', call, () => this.store.read(reads, call))
  }

  write(mutations: readonly Mutation<unknown>[], call: Call): Awaitable<readonly WriteResult[]> {
    return this.#ordered(mutations, 'write', call, () => this.store.write(mutations, call))
  }

  /** Wait for all earlier calls: what a scan does before it starts. */
  async settled(): Promise<void> {
    if (this.#underWay.size > 0) await Promise.all(Array.from(this.#underWay, (pending) => pending.ended()))
  }

  /** Put a deadline on work that is no single verb: a page of a scan, a pause. */
  bounded<T>(work: Awaitable<T>, call: Call): Awaitable<T> {
    return isPromise(work) ? this.#track([], 'read', call, work) : work
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  #ordered<T>(
    items: readonly { readonly key: string }[],
    mode: Mode,
    call: Call,
    start: () => Awaitable<T>,
  ): Awaitable<T> {
    const order = this.#order
    if (!order.idle && !items.every(({ key }) => order.free(key, mode))) {
      const keys = items.map(({ key }) => key)
      const turn = new Promise<void>((resolve) => order.wait(keys, mode, resolve))
      const work = turn.then(() => {
        if (call.settled) throw timeoutError(call, mode === 'write')
        return start()
      })
      return this.#track(keys, mode, call, work, turn)
    }
    const answer = start()
    if (!isPromise(answer)) return answer
    const keys = items.map(({ key }) => key)
    order.enter(keys, mode)
    return this.#track(keys, mode, call, answer)
  }

  /** Settle with the work, at the deadline, or by the signal: whichever comes first. */
  #track<T>(
    keys: readonly string[],
    mode: Mode,
    call: Call,
    work: Promise<T>,
    turn?: Promise<void>,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const pending: Pending = new Pending(call, mode, reject, () => {
        this.#underWay.delete(pending)
        if (turn === undefined) this.#order.leave(keys, mode)
        else void turn.then(() => this.#order.leave(keys, mode))
      })
      this.#underWay.add(pending)
      work.then(
        (value) => {
          if (pending.end()) resolve(value)
        },
        (error: Error) => {
          if (pending.end()) reject(error)
        },
      )
    })
  }

  async #close(): Promise<void> {
    const { graceMs } = this.options
    if (this.#underWay.size > 0) await this.#drain(graceMs)
    for (const pending of this.#underWay) pending.abandon()
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
    if (typeof timeoutMs === 'number' && timeoutMs > 0) return timeoutMs
    throw new StoreError('INVALID_ARGUMENT', 'timeoutMs must be a number of milliseconds above 0.')
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

/** An error with what the caller knows: operation, store, key. Added once. */
export function located(error: unknown, operation: string, store: AnyStore, key?: string): StoreError {
  return toStoreError(error, { operation, store: store.name, key })
}
