import { type Awaitable, isPromise } from './awaitable.ts'
import { abortError, timeoutError } from './call.ts'
import type { BatchCapability } from './capabilities.ts'
import type { Exit } from './dispatch.ts'
import type { Keyed } from './program-order.ts'
import { splitEvenly, splitMutations } from './split.ts'
import type { CallOptions, Mutation, Read, ReadResult, WriteResult } from './store.ts'

/**
 * Merges concurrent single calls into batches. An idle client sends at once; while something is under way, calls
 * are collected until `setImmediate`, then split evenly into batches of at most `max` (fewer than `min`: singly).
 * Writes are sorted by key, so that two batches lock rows in one order, and go before the reads of their flush.
 * Conditional writes, touches and increments always go alone, so that each knows its own outcome. Reads of one
 * key share one item.
 *
 * Order between calls on one key is not its matter: KeyValue lets no two of them out at once unless both read.
 */
export class Coalescer<V> {
  readonly #out: Exit<V>
  readonly #min: number
  readonly #max: number
  readonly #limits: BatchCapability
  #reads = new Map<string, Waiting<Read, ReadResult<V>>>()
  #writes = new Map<string, Waiting<Mutation<V>, WriteResult>>()
  #underWay = 0
  #scheduled = false

  constructor(out: Exit<V>, merge: { readonly min: number; readonly max: number }, limits: BatchCapability) {
    this.#out = out
    this.#min = merge.min
    this.#max = Math.min(merge.max, limits.maxItems)
    this.#limits = limits
  }

  /** Read one key, perhaps together with others. */
  read(item: Read, call: CallOptions): Awaitable<readonly ReadResult<V>[]> {
    if (this.#idle) return this.#count(this.#out.read([item], call))
    const there = this.#reads.get(item.key)
    if (call.consistency !== undefined || (there !== undefined && !isSame(there.item, item))) {
      return this.#count(this.#out.read([item], call))
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting<Read, ReadResult<V>> = { item, call, resolve, reject, next: there }
      this.#reads.set(item.key, waiting)
      this.#schedule()
    })
  }

  /** Write one key, perhaps together with others. */
  write(item: Mutation<V>, call: CallOptions): Awaitable<readonly WriteResult[]> {
    if (this.#idle || !isMergeable(item, call) || this.#writes.has(item.key)) {
      return this.#count(this.#out.write([item], call))
    }
    return new Promise((resolve, reject) => {
      this.#writes.set(item.key, { item, call, resolve, reject, next: undefined })
      this.#schedule()
    })
  }

  get #idle(): boolean {
    return this.#underWay === 0 && !this.#scheduled
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const writes = Array.from(this.#writes.values()).filter((one) => isLive(one, true))
    const reads = Array.from(this.#reads.values()).filter((one) => isLive(one, false))
    this.#writes = new Map()
    this.#reads = new Map()
    for (const part of this.#writeParts(writes)) this.#send(part, true)
    for (const part of this.#parts(reads)) this.#send(part, false)
  }

  #parts<T>(waiting: readonly T[]): readonly (readonly T[])[] {
    return waiting.length < this.#min ? waiting.map((one) => [one]) : splitEvenly(waiting, this.#max)
  }

  #writeParts(
    waiting: Waiting<Mutation<V>, WriteResult>[],
  ): readonly (readonly Waiting<Mutation<V>, WriteResult>[])[] {
    waiting.sort((a, b) => (a.item.key < b.item.key ? -1 : 1))
    return this.#parts(waiting).flatMap((part) => {
      let start = 0
      const withinBytes = splitMutations(
        part.map(({ item }) => item),
        this.#limits,
      )
      return withinBytes.map((items) => part.slice(start, (start += items.length)))
    })
  }

  #send<T extends Keyed, R>(part: readonly Waiting<T, R>[], isWrite: boolean): void {
    const items = part.map(({ item }) => item)
    const [first] = part as readonly [Waiting<T, R>]
    const call = part.length === 1 && first.next === undefined ? first.call : sharedCall(part)
    if (isWrite) for (const one of part) one.call.sent = true
    try {
      const answer = isWrite
        ? this.#out.write(items as readonly Keyed[] as readonly Mutation<V>[], call)
        : this.#out.read(items, call)
      if (!isPromise(answer)) return settle(part, answer as readonly R[])
      this.#count(answer).then(
        (results) => settle(part, results as readonly R[]),
        (error: unknown) => fail(part, error),
      )
    } catch (error) {
      fail(part, error)
    }
  }

  #count<A extends Awaitable<unknown>>(answer: A): A {
    if (!isPromise(answer)) return answer
    this.#underWay++
    const done = (): void => {
      this.#underWay--
    }
    answer.then(done, done)
    return answer
  }
}

interface Waiting<T, R> {
  readonly item: T
  readonly call: CallOptions
  readonly resolve: (results: readonly R[]) => void
  readonly reject: (error: unknown) => void
  /** Another caller of the same item. */
  readonly next: Waiting<T, R> | undefined
}

function isSame(a: Read, b: Read): boolean {
  return a.head === b.head && a.ifNotVersion === b.ifNotVersion
}

function isMergeable(mutation: Mutation<unknown>, call: CallOptions): boolean {
  if (mutation.ifVersion !== undefined || call.consistency !== undefined) return false
  return mutation.type === 'delete' || (mutation.type === 'set' && mutation.expiresAt !== 'keep')
}

/** Whether a caller of the item still waits. */
function isLive<T, R>(waiting: Waiting<T, R>, isWrite: boolean): boolean {
  const { call, reject, next } = waiting
  if (call.signal?.aborted === true) reject(abortError(call, isWrite))
  else if (call.settled === true) reject(timeoutError(call, isWrite))
  else return true
  return next !== undefined && isLive(next, isWrite)
}

function settle<T, R>(part: readonly Waiting<T, R>[], results: readonly R[]): void {
  for (let i = 0; i < part.length; i++) {
    const result = [results[i] as R]
    for (let one = part[i]; one !== undefined; one = one.next) one.resolve(result)
  }
}

function fail<T, R>(part: readonly Waiting<T, R>[], error: unknown): void {
  for (const first of part)
    for (let one: typeof first | undefined = first; one !== undefined; one = one.next) one.reject(error)
}

/** The options of a merged call: the latest deadline; each caller's own signal and deadline stay with KeyValue. */
function sharedCall<T, R>(part: readonly Waiting<T, R>[]): CallOptions {
  let deadlineAt = 0
  for (const first of part)
    for (let one: typeof first | undefined = first; one !== undefined; one = one.next)
      deadlineAt = Math.max(deadlineAt, one.call.deadlineAt)
  return { deadlineAt, sent: false, settled: false }
}
