import { type Awaitable, isPromise } from '../contract/awaitable.ts'
import type { BatchCapability, MergeCapability } from '../contract/capabilities.ts'
import { isStoreError } from '../contract/errors.ts'
import type { CallOptions, Mutation, Read, ReadResult, Store, WriteResult } from '../contract/store.ts'
import { atTickEnd, setImmediate } from '../platform/timers.ts'
import type { Keyed } from './program-order.ts'
import { itemBytes, split } from './split.ts'
import { fail, isLive, SharedCall, settle, Waiting } from './waiting.ts'

/**
 * Merges concurrent single calls into batches. Few calls are sent at once, each by itself. Calls are many when as many as
 * `min` are under way or wait: then all of a turn go together, when it ends (`setImmediate`) or a batch is full (`max`).
 * Their answers come together too, so that their callers' next calls do: callers who began apart end in one batch.
 *
 * Where the store declares `minOfTick`, a tick of fewer calls than `min` may be many too: those of the next one go together
 * when it ends. Callers in a loop, whose answers come in one piece, make such ticks; the sockets of a web server make none.
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
  readonly #minOfTick: number | undefined
  readonly #limits: BatchCapability
  readonly #reads = new Map<string, Waiting<Read, ReadResult<V>>>()
  readonly #writes = new Map<string, Waiting<Mutation<V>, WriteResult>>()
  #underWay = 0
  /** A flush will come. */
  #isDue = false
  /** Calls wait for it, and so do those that come. */
  #collects = false
  /** Where ticks count: calls of this one that were sent already. */
  #gone = 0
  /** The last turn had many calls. */
  #isBusy = false
  /**
   * With fewer under way a call is sent at once: `min`; none after a turn of many, whose calls go together; one after a turn
   * that filled a batch, as one call that goes ahead keeps the server at work and parts nobody.
   */
  #atOnceBelow: number

  constructor(out: Pick<Store<V>, 'read' | 'write'>, merge: MergeCapability, limits: BatchCapability) {
    this.#out = out
    this.#min = merge.min
    this.#atOnceBelow = merge.min
    this.#max = Math.min(merge.max, limits.maxItems)
    this.#minOfTick = merge.minOfTick
    this.#limits = limits
  }

  /** Read one key, perhaps together with others. */
  read(item: Read, call: CallOptions): Awaitable<readonly ReadResult<V>[]> {
    const there = this.#reads.get(item.key)
    if (this.#sendsAtOnce || call.consistency !== undefined || !isSame(there?.item ?? item, item)) {
      this.#goAhead()
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
      this.#goAhead()
      return this.#count(this.#out.write([item], call))
    }
    const waiting = new Waiting<Mutation<V>, WriteResult>(item, call, undefined)
    this.#writes.set(item.key, waiting)
    if (this.#writes.size >= this.#max) this.#flushWrites()
    else this.#schedule()
    return waiting.promise
  }

  get #sendsAtOnce(): boolean {
    return !this.#collects && this.#underWay < this.#atOnceBelow
  }

  /** A call is about to be sent at once. */
  #goAhead(): void {
    if (this.#minOfTick === undefined) return
    this.#gone++
    if (!this.#isDue) this.#dueAtTickEnd()
  }

  /** Collect, until the tick or the turn ends. */
  #schedule(): void {
    this.#collects = true
    if (this.#isDue) return
    if (this.#minOfTick === undefined) this.#dueAtTurnEnd()
    else this.#dueAtTickEnd()
  }

  #dueAtTickEnd(): void {
    this.#isDue = true
    atTickEnd(this.#endTick)
  }

  #dueAtTurnEnd(): void {
    this.#isDue = true
    setImmediate(this.#flush)
  }

  /** Calls of one tick go when it ends, unless they are a small part of many: these meet when the turn ends. */
  readonly #endTick = (): void => {
    const waiting = this.#writes.size + this.#reads.size
    const isPart = waiting > 0 && this.#gone + waiting < this.#min
    if (isPart && (this.#isBusy || this.#underWay + waiting >= this.#min)) this.#dueAtTurnEnd()
    else this.#flush()
  }

  readonly #flush = (): void => {
    this.#isDue = false
    this.#collects = false
    const waiting = this.#writes.size + this.#reads.size
    const all = this.#underWay + waiting
    const ofTick = this.#gone + waiting
    this.#isBusy = all >= this.#min
    const areMany = this.#isBusy || (this.#minOfTick !== undefined && ofTick >= this.#minOfTick)
    this.#atOnceBelow = areMany ? (all < this.#max ? 0 : 1) : this.#min
    if (this.#writes.size > 0) this.#flushWrites()
    if (this.#reads.size > 0) this.#flushReads()
    this.#gone = 0
  }

  #flushWrites(): void {
    this.#gone += this.#writes.size
    for (const part of this.#writeParts(this.#taken(this.#writes, true))) void this.#send(part, true)
  }

  #flushReads(): void {
    this.#gone += this.#reads.size
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
