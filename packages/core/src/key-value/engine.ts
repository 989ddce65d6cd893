import { type CallEngine, type CallUnderWay, Pending, type Subject } from '../batches/pending.ts'
import { type Keyed, ProgramOrder } from '../batches/program-order.ts'
import { type Awaitable, andThen, areAtHand, isPromise } from '../contract/awaitable.ts'
import { Call } from '../contract/call.ts'
import { abortError, closedError } from '../contract/call-errors.ts'
import { type ErrorCode, isStoreError, StoreError, toStoreError } from '../contract/errors.ts'
import { ownSignal } from '../contract/own-signal.ts'
import type { Mutation, Read, ReadResult, Version, WriteResult } from '../contract/store.ts'
import { writePrepared } from '../contract/write-prepared.ts'
import { checkedMs } from '../options/checked-ms.ts'
import { threw } from '../options/own-function.ts'
import { Deadlines } from '../platform/deadlines.ts'
import { clearTimeout, setTimeout } from '../platform/timers.ts'
import type { AnyStore } from '../stack/compose.ts'
import { type Made, madeOf } from '../stack/layers-of.ts'
import { Custody } from './custody.ts'
import type { CallSettings } from './settings.ts'

type Reads = readonly ReadResult<unknown>[]
type Writes = readonly WriteResult[]
type Mutations = readonly Mutation<unknown>[]

/** Resolved settings of one KeyValue, shared by its namespace views. */
export interface EngineOptions {
  readonly timeoutMs: number
  readonly graceMs: number
  /** Level of reads that name none. */
  readonly readConsistency: string | undefined
  /** Wall clock in milliseconds. */
  readonly clock: () => number
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/**
 * State that all views of one KeyValue share: the stack, the order of its calls, their deadlines, and the end of it
 * all. An answer at hand passes through without a promise, a clock or a timer.
 */
export class Engine implements CallEngine {
  // Declared, and assigned once: a field would be defined first.
  declare readonly store: AnyStore
  declare readonly options: EngineOptions
  /** The owner of the values. */
  declare readonly custody: Custody
  readonly order: ProgramOrder = new ProgramOrder()
  /** Calls that wait for their answer. */
  readonly underWay: Deadlines<CallUnderWay> = new Deadlines()
  /** Calls of several steps under way. */
  readonly #tasks = new Set<Task>()
  #closing: Promise<void> | undefined
  #isClosed = false

  constructor(store: AnyStore, options: EngineOptions) {
    this.store = store
    this.options = options
    this.custody = new Custody((madeOf(store) as Made).parts)
  }

  /** Check the settings of a call and open it. */
  call(settings: CallSettings | undefined): Call {
    if (settings === undefined && this.#closing === undefined) return new Call(this.options.timeoutMs)
    if (this.#closing !== undefined) throw closedError()
    return this.#checkedCall(settings ?? {})
  }

  /** As `call`, of a call that reads and does nothing else. */
  readCall(settings: CallSettings | undefined): Call {
    if (settings !== undefined || this.#closing !== undefined) return this.call(this.readSettings(settings))
    return new Call(this.options.timeoutMs, undefined, this.options.readConsistency)
  }

  /** The settings of a call that reads and does nothing else. */
  readSettings<T extends CallSettings>(settings: T | undefined): T | undefined {
    const { readConsistency } = this.options
    if (readConsistency === undefined || settings?.consistency !== undefined) return settings
    // A `timeoutMs` that counts down stays one.
    return Object.create(settings ?? null, { consistency: { value: readConsistency } }) as T
  }

  /** Open a step of a call of several: `close` waits for these. */
  step(settings: CallSettings): Call {
    if (this.#isClosed) throw closedError()
    return this.#checkedCall(settings)
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
        const { custody } = this
        const answer = this.store.write(custody.isNeeded ? custody.now(items) : items, call)
        custody.answered(areAtHand(answer))
        if (areAtHand(answer)) return finish(answer)
        work = answer
      } catch (error) {
        throw this.located(error, operation, items, call.sent)
      }
    }
    return this.#wait({ operation, mode: 'write', items, call, finish }, work)
  }

  /** Work of several steps on keys, which no other call gets at meanwhile. */
  exclusively<T>(
    operation: string,
    items: readonly Keyed[],
    call: Call,
    work: () => Awaitable<T>,
  ): Awaitable<T> {
    let begun: Promise<T> | undefined
    if (this.order.isFree(items, 'write')) {
      const answer = work()
      if (!isPromise(answer)) return answer
      begun = answer
    }
    return this.#wait({ operation, mode: 'write', items, call, finish: (value: T) => value }, begun, work)
  }

  /**
   * An error with the operation, the store, and the key if there is one. An error that an adapter did not translate is
   * `UNAVAILABLE`, and `OUTCOME_UNKNOWN` if a write was `sent`.
   */
  located(error: unknown, operation?: string, items: readonly Keyed[] = [], sent = false): StoreError {
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

  /** As `located`, but any error that is not a StoreError comes from an argument of the caller. */
  refused(error: unknown, operation?: string): StoreError {
    return this.located(isStoreError(error) ? error : threw('An argument', error), operation)
  }

  /** Put a deadline on work that is not a single verb, such as a page of a scan. */
  bounded<T>(operation: string, work: Awaitable<T>, call: Call): Awaitable<T> {
    if (!isPromise(work)) return work
    return this.#wait({ operation, mode: 'read', items: [], call, finish: (value: T) => value }, work)
  }

  /** Wait for earlier writes of keys that start so: what a scan does before it starts. */
  async written(prefixes: readonly string[]): Promise<void> {
    await Promise.all(this.writing(prefixes))
  }

  /** The ends of calls under way that write keys that start so. */
  writing(prefixes: readonly string[]): readonly Promise<unknown>[] {
    const writes = this.underWay
      .all()
      .filter(({ mode, items }) => mode === 'write' && items.some(({ key }) => startsWithAny(key, prefixes)))
    const tasks = Array.from(this.#tasks).filter((task) => overlap(task.prefixes, prefixes))
    return [...writes.map((pending) => pending.ended()), ...tasks.map(({ ended }) => ended)]
  }

  /** A call of several steps, for which `close` waits as a whole, and a scan of the keys that it changes. */
  async task<T>(changes: readonly string[], work: () => Promise<T>): Promise<T> {
    const done = work()
    const task: Task = { prefixes: changes, ended: done.then(nothing, nothing) }
    this.#tasks.add(task)
    try {
      return await done
    } finally {
      this.#tasks.delete(task)
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  // Apart from `read` and `write`, which every cached read takes: what they do not need makes them too long to be
  // inlined, and a function that makes a closure allocates what it closes over when it is entered.

  /** Wait for this work, or for the turn of a call that could not start. */
  #wait<A, T>(subject: Subject<A, T>, work: Promise<A> | undefined, start?: () => Awaitable<A>): Promise<T> {
    if (work !== undefined) return new Pending(this, subject).enter(work)
    // Values are encoded for a start that waits, and for no other.
    const begin = start ?? this.#startOf(subject)
    return new Pending(this, subject).queue(begin)
  }

  /** The start of a single verb; its values are those of now. */
  #startOf<A, T>({ mode, items, call }: Subject<A, T>): () => Awaitable<A> {
    if (mode === 'read') return () => this.store.read(items, call) as Awaitable<A>
    const kept = this.custody.later(items as Mutations)
    return () => andThen(kept, (own) => writePrepared(this.store, own, call)) as Awaitable<A>
  }

  #checkedCall(settings: CallSettings): Call {
    try {
      const call = new Call(this.#timeout(settings), ownSignal(settings.signal), this.#consistency(settings))
      if (call.signal?.aborted !== true) return call
      throw abortError(call, false)
    } catch (error) {
      throw this.refused(error)
    }
  }

  async #close(): Promise<void> {
    const { graceMs } = this.options
    if (this.underWay.all().length > 0 || this.#tasks.size > 0) await this.#drain(graceMs)
    this.#isClosed = true
    for (const pending of this.underWay.all()) pending.abandon()
    try {
      await this.store.close()
    } catch (error) {
      throw this.located(error, 'close')
    }
  }

  /** Wait for all that is under way. */
  async #settled(): Promise<void> {
    await Promise.all(this.underWay.all().map((pending) => pending.ended()))
    await Promise.all(Array.from(this.#tasks, ({ ended }) => ended))
  }

  async #drain(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs)
    })
    await Promise.race([this.#settled(), grace])
    clearTimeout(timer)
  }

  #timeout({ timeoutMs = this.options.timeoutMs }: CallSettings): number {
    return checkedMs('timeoutMs', timeoutMs, { code: 'INVALID_ARGUMENT' })
  }

  #consistency({ consistency }: CallSettings): string | undefined {
    if (consistency !== undefined) checkLevel(this.store, consistency)
    return consistency
  }
}

/** Refuse a level that a stack does not offer. */
export function checkLevel(
  { name, capabilities }: AnyStore,
  level: string,
  code: ErrorCode = 'UNSUPPORTED',
  subject = 'this consistency level',
): void {
  const { consistency: levels } = capabilities
  if (levels.includes(level)) return
  const known = levels.length === 0 ? 'none' : levels.join(', ')
  throw new StoreError(code, `${name} does not offer ${subject}. It offers: ${known}.`)
}

/** A call of several steps under way. */
interface Task {
  /** Prefixes of the keys that it changes. */
  readonly prefixes: readonly string[]
  readonly ended: Promise<void>
}

function startsWithAny(key: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => key.startsWith(prefix))
}

/** Whether a key may start with one of each. */
function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((prefix) => others.some((other) => prefix.startsWith(other) || other.startsWith(prefix)))
}

function nothing(): void {}
