import { ownValue } from '../codecs/documents.ts'
import { type Awaitable, isPromise } from '../contract/awaitable.ts'
import { Call } from '../contract/call.ts'
import { endedBy } from '../contract/call-errors.ts'
import type { BatchCapability } from '../contract/capabilities.ts'
import { isEntry } from '../contract/entry.ts'
import { isStoreError } from '../contract/errors.ts'
import type { CallOptions, Entry, Mutation, Read, ReadResult, Store, WriteResult } from '../contract/store.ts'
import { setImmediate } from '../platform/timers.ts'
import { type Deferred, promiseFor } from './deferred.ts'
import type { Keyed } from './program-order.ts'
import { itemBytes, split } from './split.ts'

/**
 * Merges concurrent single calls into batches. Few calls are sent at once, each by itself. Calls are many when as many as
 * `min` are under way or wait: then all of a turn go together, when it ends (`setImmediate`) or a batch is full (`max`).
 * Their answers come together too, so that their callers' next calls do: callers who began apart end in one batch.
 *
 * Writes are sorted by key, so that two batches lock rows in one order. Conditional writes, touches and increments
 * always go alone, so that each knows its own outcome. Reads of one key share one item.
 *
 * It does not order calls on one key: KeyValue never sends two at once unless both are reads.
 */
export class Coalescer<V> {
  readonly #out: Pick<Store<V>, 'read' | 'write'>
  readonly #min: number
  readonly #max: number
  readonly #limits: BatchCapability
  readonly #reads = new Map<string, Waiting<Read, ReadResult<V>>>()
  readonly #writes = new Map<string, Waiting<Mutation<V>, WriteResult>>()
  #underWay = 0
  #scheduled = false
  /**
   * With fewer under way a call is sent at once: `min`; none after a turn of many, whose calls go together; one after a turn
   * that filled a batch, as one call that goes ahead keeps the server busy and does not split a batch.
   */
  #atOnceBelow: number

  constructor(
    out: Pick<Store<V>, 'read' | 'write'>,
    merge: { readonly min: number; readonly max: number },
    limits: BatchCapability,
  ) {
    this.#out = out
    this.#min = merge.min
    this.#atOnceBelow = merge.min
    this.#max = Math.min(merge.max, limits.maxItems)
    this.#limits = limits
  }

  /** Read one key, perhaps together with others. */
  read(item: Read, call: CallOptions): Awaitable<readonly ReadResult<V>[]> {
    const there = this.#reads.get(item.key)
    if (this.#sendsAtOnce || call.consistency !== undefined || !isSame(there?.item ?? item, item)) {
      return this.#count(this.#out.read([item], call))
    }
    const waiting = new Waiting<Read, ReadResult<V>>(item, call, there)
    this.#reads.set(item.key, waiting)
    if (this.#reads.size >= this.#max) this.#flushReads()
    else this.#schedule()
    return waiting.promise
  }

  /** Write one key, perhaps together with others. */
  write(item: Mutation<V>, call: CallOptions): Awaitable<readonly WriteResult[]> {
    if (this.#sendsAtOnce || !isMergeable(item, call) || this.#writes.has(item.key)) {
      return this.#count(this.#out.write([item], call))
    }
    const waiting = new Waiting<Mutation<V>, WriteResult>(item, call, undefined)
    this.#writes.set(item.key, waiting)
    if (this.#writes.size >= this.#max) this.#flushWrites()
    else this.#schedule()
    return waiting.promise
  }

  get #sendsAtOnce(): boolean {
    return !this.#scheduled && this.#underWay < this.#atOnceBelow
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const all = this.#underWay + this.#writes.size + this.#reads.size
    this.#atOnceBelow = all < this.#min ? this.#min : all < this.#max ? 0 : 1
    this.#flushWrites()
    this.#flushReads()
  }

  #flushWrites(): void {
    for (const part of this.#writeParts(this.#taken(this.#writes, true))) void this.#send(part, true)
  }

  #flushReads(): void {
    for (const part of this.#parts(this.#taken(this.#reads, false))) void this.#send(part, false)
  }

  /** Those of the turn whose callers still wait. */
  #taken<T, R>(waiting: Map<string, Waiting<T, R>>, isWrite: boolean): Waiting<T, R>[] {
    const live = Array.from(waiting.values()).filter((one) => isLive(one, isWrite))
    waiting.clear()
    return live
  }

  #parts<T>(waiting: readonly T[]): readonly (readonly T[])[] {
    const isBatch = waiting.length > 1 && (this.#atOnceBelow < this.#min || waiting.length >= this.#min)
    return isBatch ? [waiting] : waiting.map((one) => [one])
  }

  #writeParts(
    waiting: Waiting<Mutation<V>, WriteResult>[],
  ): readonly (readonly Waiting<Mutation<V>, WriteResult>[])[] {
    waiting.sort((a, b) => (a.item.key < b.item.key ? -1 : 1))
    return this.#parts(waiting).flatMap((part) => split(part, this.#limits, ({ item }) => itemBytes(item)))
  }

  async #send<T extends Keyed, R>(part: readonly Waiting<T, R>[], isWrite: boolean): Promise<void> {
    const items = part.map(({ item }) => item)
    const [first] = part as readonly [Waiting<T, R>]
    const call = part.length === 1 && first.next === undefined ? first.call : new SharedCall(part, isWrite)
    try {
      const answer = isWrite
        ? this.#out.write(items as readonly Keyed[] as readonly Mutation<V>[], call)
        : this.#out.read(items, call)
      const results = (await this.#count<Awaitable<unknown>>(answer)) as readonly R[]
      const others = isWrite && results.every(isStoreError) ? withoutEnded(part, call) : []
      if (others.length > 0) return await this.#send(others, true)
      settle(part, results)
    } catch (error) {
      const others = isWrite ? withoutEnded(part, call) : []
      if (others.length > 0) return this.#send(others, true)
      fail(part, error)
    }
  }

  #count<A extends Awaitable<unknown>>(answer: A): A {
    if (!isPromise(answer)) return answer
    this.#underWay++
    answer.then(this.#ended, this.#ended)
    return answer
  }

  readonly #ended = (): void => {
    this.#underWay--
  }
}

/** One caller of an item. */
class Waiting<T, R> implements Deferred<readonly R[]> {
  // Declared, and assigned once: a field would be defined first.
  declare readonly item: T
  declare readonly call: CallOptions
  /** Another caller of the same item. */
  declare readonly next: Waiting<T, R> | undefined
  declare readonly promise: Promise<readonly R[]>
  declare resolve: (results: readonly R[]) => void
  declare reject: (error: unknown) => void

  constructor(item: T, call: CallOptions, next: Waiting<T, R> | undefined) {
    this.item = item
    this.call = call
    this.next = next
    this.promise = promiseFor(this)
  }
}

function isSame(a: Read, b: Read): boolean {
  return a.head === b.head && a.ifNotVersion === b.ifNotVersion
}

function isMergeable(mutation: Mutation<unknown>, call: CallOptions): boolean {
  if (mutation.ifVersion !== undefined || call.consistency !== undefined) return false
  return mutation.type === 'delete' || (mutation.type === 'set' && mutation.expiresAt !== 'keep')
}

/** Those to send again: somebody was answered before the batch was sent, and it was not sent for that. */
function withoutEnded<T, R>(part: readonly Waiting<T, R>[], { sent }: CallOptions): readonly Waiting<T, R>[] {
  const live = sent === true ? part : part.filter((one) => isLive(one, true))
  return live.length < part.length ? live : []
}

/** Whether a caller of the item still waits. */
function isLive<T, R>(first: Waiting<T, R>, isWrite: boolean): boolean {
  for (let one: Waiting<T, R> | undefined = first; one !== undefined; one = one.next) {
    const end = endedBy(one.call, isWrite)
    if (end === undefined) return true
    one.reject(end)
  }
  return false
}

function settle<T, R>(part: readonly Waiting<T, R>[], results: readonly R[]): void {
  part.forEach((first, i) => {
    const result = results[i] as R
    first.resolve([result])
    for (let one = first.next; one !== undefined; one = one.next) one.resolve([ownResult(result)])
  })
}

/** Each of the readers that share a read gets its own value. */
function ownResult<R>(result: R): R {
  if (!isEntry(result as ReadResult<unknown>)) return result
  return { ...result, value: ownValue((result as Entry<unknown>).value) }
}

function fail<T, R>(part: readonly Waiting<T, R>[], error: unknown): void {
  for (const first of part)
    for (let one: Waiting<T, R> | undefined = first; one !== undefined; one = one.next) one.reject(error)
}

/**
 * The options of a merged call: the latest deadline; each caller's own signal and deadline stay with KeyValue. Whether a
 * write was sent is told to each of them. One that ended before that was told that nothing was changed: then the whole is
 * not sent, and the others are sent without it.
 */
class SharedCall<T, R> extends Call {
  readonly #part: readonly Waiting<T, R>[]
  readonly #isWrite: boolean
  #sent = false

  constructor(part: readonly Waiting<T, R>[], isWrite: boolean) {
    super(0)
    this.#part = part
    this.#isWrite = isWrite
  }

  override get sent(): boolean {
    return this.#sent
  }

  override set sent(sent: boolean) {
    this.#sent = sent
    if (this.#isWrite) for (const { call } of this.#part) call.sent = sent
  }

  override get settled(): boolean {
    return this.#isWrite && !this.#sent && this.#part.some(({ call }) => endedBy(call, true) !== undefined)
  }

  override get deadlineAt(): number {
    let latest = 0
    for (const first of this.#part)
      for (let one: Waiting<T, R> | undefined = first; one !== undefined; one = one.next)
        latest = Math.max(latest, one.call.deadlineAt)
    return latest
  }
}
