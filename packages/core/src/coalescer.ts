import { type Awaitable, isPromise } from './awaitable.ts'
import { abortError, timeoutError } from './call.ts'
import { compareKeys } from './canonical-key.ts'
import type { BatchCapability } from './capabilities.ts'
import type { Exit } from './dispatch.ts'
import { splitEvenly, splitMutations } from './split.ts'
import type { CallOptions, Mutation, Read, ReadResult, WriteResult } from './store.ts'

/**
 * Merges concurrent single calls into batches. An idle client sends at once; while something is under way, calls
 * are collected until `setImmediate`, then split evenly into batches of at most `max` (fewer than `min`: singly),
 * sorted by key. Writes of a flush go out before its reads. Conditional writes, touches and increments always go
 * alone, so that each knows its own outcome.
 *
 * Order between calls on one key is not its matter: KeyValue lets no two of them out at once unless both read.
 */
export class Coalescer<V> {
  readonly #out: Exit<V>
  readonly #min: number
  readonly #max: number
  readonly #limits: BatchCapability
  readonly #reads: Waiting<Read, ReadResult<V>>[] = []
  readonly #writes: Waiting<Mutation<V>, WriteResult>[] = []
  #underWay = 0
  #scheduled = false

  constructor(out: Exit<V>, merge: { readonly min: number; readonly max: number }, limits: BatchCapability) {
    this.#out = out
    this.#min = merge.min
    this.#max = Math.min(merge.max, limits.maxItems)
    this.#limits = limits
  }

  /** Read one key, perhaps together with others. */
  read(read: Read, call: CallOptions): Awaitable<readonly ReadResult<V>[]> {
    if (this.#underWay === 0 && !this.#scheduled) return this.#count(this.#out.read([read], call))
    return new Promise((resolve, reject) => {
      this.#reads.push({ item: read, call, resolve, reject })
      this.#schedule()
    })
  }

  /** Write one key, perhaps together with others. */
  write(mutation: Mutation<V>, call: CallOptions): Awaitable<readonly WriteResult[]> {
    const alone = (this.#underWay === 0 && !this.#scheduled) || !mergeable(mutation)
    if (alone) return this.#count(this.#out.write([mutation], call))
    return new Promise((resolve, reject) => {
      this.#writes.push({ item: mutation, call, resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const writes = this.#writes.splice(0)
    const reads = this.#reads.splice(0)
    for (const group of groups(writes, true))
      this.#send(group, (items, call) => this.#out.write(items, call), true)
    for (const group of groups(reads, false))
      this.#send(group, (items, call) => this.#out.read(items, call), false)
  }

  #send<T extends Keyed, R>(
    waiting: readonly Waiting<T, R>[],
    run: (items: readonly T[], call: CallOptions) => Awaitable<readonly R[]>,
    isWrite: boolean,
  ): void {
    const live = waiting.filter((one) => isLive(one, isWrite))
    const parts = live.length < this.#min ? live.map((one) => [one]) : this.#parts(live, isWrite)
    for (const part of parts) void this.#run(part, run, isWrite)
  }

  #parts<T extends Keyed, R>(
    live: readonly Waiting<T, R>[],
    isWrite: boolean,
  ): readonly (readonly Waiting<T, R>[])[] {
    const parts = splitEvenly(live.toSorted(byKey), this.#max)
    return isWrite ? parts.flatMap((part) => this.#withinBytes(part)) : parts
  }

  #withinBytes<T extends Keyed, R>(part: readonly Waiting<T, R>[]): readonly (readonly Waiting<T, R>[])[] {
    const cut = splitMutations(part.map((one) => one.item) as unknown as readonly Mutation<V>[], this.#limits)
    let start = 0
    return cut.map((items) => part.slice(start, (start += items.length)))
  }

  async #run<T extends Keyed, R>(
    part: readonly Waiting<T, R>[],
    run: (items: readonly T[], call: CallOptions) => Awaitable<readonly R[]>,
    isWrite: boolean,
  ): Promise<void> {
    const callers = distinct(part)
    if (isWrite) for (const one of part) one.call.sent = true
    try {
      const call = part.length === 1 ? (part[0] as Waiting<T, R>).call : sharedCall(part)
      const results = await this.#count(
        run(
          callers.map(([one]) => (one as Waiting<T, R>).item),
          call,
        ),
      )
      for (const [i, same] of callers.entries()) for (const one of same) one.resolve([results[i] as R])
    } catch (error) {
      for (const one of part) one.reject(error)
    }
  }

  #count<T>(answer: Awaitable<T>): Awaitable<T> {
    if (!isPromise(answer)) return answer
    this.#underWay++
    const done = () => {
      this.#underWay--
    }
    answer.then(done, done)
    return answer
  }
}

interface Keyed {
  readonly key: string
}

interface Waiting<T, R> {
  readonly item: T
  readonly call: CallOptions
  readonly resolve: (results: readonly R[]) => void
  readonly reject: (error: unknown) => void
}

function mergeable(mutation: Mutation<unknown>): boolean {
  return (
    mutation.ifVersion === undefined &&
    (mutation.type === 'set' || mutation.type === 'delete') &&
    !keepsExpiry(mutation)
  )
}

function keepsExpiry(mutation: Mutation<unknown>): boolean {
  return mutation.type === 'set' && mutation.expiresAt === 'keep'
}

/** Whether the caller still waits; if not, it is answered for good and its item stays behind. */
function isLive<T, R>({ call, reject }: Waiting<T, R>, isWrite: boolean): boolean {
  if (call.signal?.aborted === true) reject(abortError(call, isWrite))
  else if (call.settled === true) reject(timeoutError(call, isWrite))
  else return true
  return false
}

/** Calls that may share a batch: equal options, and no key twice unless the same is read of it. */
function groups<T extends Keyed, R>(
  waiting: readonly Waiting<T, R>[],
  isWrite: boolean,
): readonly (readonly Waiting<T, R>[])[] {
  const all: {
    readonly call: CallOptions
    readonly items: Map<string, T>
    readonly members: Waiting<T, R>[]
  }[] = []
  for (const one of waiting) {
    const { call, item } = one
    let group = all.find(
      ({ call: { consistency }, items }) =>
        consistency === call.consistency && fits(items.get(item.key), item, isWrite),
    )
    if (group === undefined) {
      group = { call, items: new Map(), members: [] }
      all.push(group)
    }
    group.items.set(item.key, item)
    group.members.push(one)
  }
  return all.map(({ members }) => members)
}

function fits(there: Keyed | undefined, item: Keyed, isWrite: boolean): boolean {
  if (there === undefined) return true
  const [a, b]: Read[] = [there, item]
  return !isWrite && a?.head === b?.head && a?.ifNotVersion === b?.ifNotVersion
}

/** Items that are asked for, each key once, with the callers of each. Callers of one key are neighbours. */
function distinct<T extends Keyed, R>(part: readonly Waiting<T, R>[]): readonly (readonly Waiting<T, R>[])[] {
  const callers: Waiting<T, R>[][] = []
  for (const one of part) {
    const last = callers.at(-1)
    if (last?.[0]?.item.key === one.item.key) last.push(one)
    else callers.push([one])
  }
  return callers
}

/** The options of a merged call: the latest deadline; each caller's own signal and deadline stay with KeyValue. */
function sharedCall<T, R>(part: readonly Waiting<T, R>[]): CallOptions {
  const deadlineAt = part.reduce((latest, { call }) => Math.max(latest, call.deadlineAt), 0)
  return { deadlineAt, consistency: part[0]?.call.consistency, sent: false, settled: false }
}

function byKey<T extends Keyed, R>(a: Waiting<T, R>, b: Waiting<T, R>): number {
  return compareKeys(a.item.key, b.item.key)
}
