import { Pending, type Subject } from '../batches/pending.ts'
import type { Keyed, ProgramOrder } from '../batches/program-order.ts'
import { type Awaitable, areAtHand, isPromise } from '../contract/awaitable.ts'
import type { Call } from '../contract/call.ts'
import { StoreError } from '../contract/errors.ts'
import type { Mutation, Read, ReadResult, WriteResult } from '../contract/store.ts'
import type { Custody } from '../key-value/custody.ts'
import type { Engine, EngineOptions } from '../key-value/engine.ts'
import type { CallSettings } from '../key-value/settings.ts'
import type { AnyStore } from '../stack/compose.ts'

/**
 * The engine of a KeyValue for calls that must have their answer at once. A call that would have to wait ends before it
 * is sent: what a layer has begun to prepare for it stops at the store.
 */
export class AtOnce
  implements
    Pick<
      Engine,
      | 'store'
      | 'options'
      | 'custody'
      | 'order'
      | 'call'
      | 'readCall'
      | 'readSettings'
      | 'step'
      | 'read'
      | 'write'
      | 'writing'
      | 'exclusively'
      | 'located'
      | 'refused'
    >
{
  declare readonly store: AnyStore
  declare readonly options: EngineOptions
  declare readonly custody: Custody
  declare readonly order: ProgramOrder
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
    this.store = engine.store
    this.options = engine.options
    this.custody = engine.custody
    this.order = engine.order
  }

  call(settings: CallSettings | undefined): Call {
    return this.#engine.call(settings)
  }

  readCall(settings: CallSettings | undefined): Call {
    return this.#engine.readCall(settings)
  }

  readSettings<T extends CallSettings>(settings: T | undefined): T | undefined {
    return this.#engine.readSettings(settings)
  }

  step(settings: CallSettings): Call {
    return this.#engine.step(settings)
  }

  located(...error: Parameters<Engine['located']>): StoreError {
    return this.#engine.located(...error)
  }

  refused(...error: Parameters<Engine['refused']>): StoreError {
    return this.#engine.refused(...error)
  }

  read<T>(
    operation: string,
    items: readonly Read[],
    call: Call,
    finish: (results: readonly ReadResult<unknown>[]) => T,
  ): T {
    if (!this.order.isFree(items, 'read')) throw this.#late(operation, items)
    const answer = this.#begun(operation, items, call, () => this.store.read(items, call))
    if (areAtHand(answer)) return finish(answer)
    call.settled = true
    answer.catch(() => {})
    throw this.located(neverAtOnce(this.store.name), operation, items)
  }

  write<T>(
    operation: string,
    items: readonly Mutation<unknown>[],
    call: Call,
    finish: (results: readonly WriteResult[]) => T,
  ): T {
    if (!this.order.isFree(items, 'write')) throw this.#late(operation, items)
    const answer = this.#begun(operation, items, call, () =>
      this.store.write(this.custody.isNeeded ? this.custody.now(items) : items, call),
    )
    if (areAtHand(answer)) return finish(answer)
    throw this.#unanswered({ operation, mode: 'write', items, call, finish }, answer)
  }

  writing(prefixes: readonly string[]): readonly Promise<unknown>[] {
    return this.#engine.writing(prefixes)
  }

  exclusively<T>(operation: string, items: readonly Keyed[], call: Call, work: () => Awaitable<T>): T {
    if (!this.order.isFree(items, 'write')) throw this.#late(operation, items)
    const answer = this.#begun(operation, items, call, work)
    if (!isPromise(answer)) return answer
    throw this.#unanswered({ operation, mode: 'write', items, call, finish: (value: T) => value }, answer)
  }

  /** The error for a write that would have to wait. One that was sent keeps its place until it has ended; one that was not sent never will be. */
  #unanswered<A, T>(subject: Subject<A, T>, answer: Promise<A>): StoreError {
    const { operation, items, call } = subject
    const isSent = call.sent
    if (isSent) void new Pending(this.#engine, subject).enter(answer).catch(() => {})
    else call.settled = true
    answer.catch(() => {})
    return this.located(isSent ? unknown() : neverAtOnce(this.store.name), operation, items)
  }

  #begun<T>(operation: string, items: readonly Keyed[], call: Call, work: () => Awaitable<T>): Awaitable<T> {
    try {
      return work()
    } catch (error) {
      throw this.located(error, operation, items, call.sent)
    }
  }

  #late(operation: string, items: readonly Keyed[]): StoreError {
    return this.located(stillRunning('call on this key'), operation, items)
  }
}

/** The answer if it is at hand. */
export function atHand<T>(answer: Awaitable<T>, name: string): T {
  if (!isPromise(answer)) return answer
  answer.catch(() => {})
  throw neverAtOnce(name)
}

/** The error of a call that would have to wait for an earlier one. */
export function stillRunning(earlier: string): StoreError {
  const message = `An earlier ${earlier} is still running. Await it first: a synchronous call cannot wait.`
  return new StoreError('UNSUPPORTED', message)
}

/** The error of a stack that answers by promise. */
export function neverAtOnce(name: string): StoreError {
  return new StoreError(
    'UNSUPPORTED',
    `${name} or a layer above it cannot do this synchronously. Use the promises, syncFrom of @unikv/sync, or, for LMDB writes, lmdb({ path, sync: true }).`,
    { store: name },
  )
}

function unknown(): StoreError {
  const message = 'The store took the write but did not answer at once; it may or may not have taken effect.'
  return new StoreError('OUTCOME_UNKNOWN', message)
}
