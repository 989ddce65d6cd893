import {
  type Awaitable,
  andThen,
  type Bytes,
  type CallOptions,
  isLive,
  isStoreError,
  type Mutation,
  type Pages,
  type Read,
  type ReadResult,
  type ScanRange,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import {
  bounded,
  callOptions,
  endOf,
  forPlainReads,
  noteAbsent,
  Opening,
  understanding,
} from '@unikv/core/adapter'
import { clearTimeout, performance, setTimeout } from '@unikv/core/platform'
import { AllTold } from './all-told.ts'
import { Flusher, lose } from './flusher.ts'
import { changeOf, closed, Intake, type Leaving } from './intake.ts'
import type { WriteBehindSettings } from './options.ts'
import { Queue } from './queue.ts'
import { bytesOf, type Change, chainOf, type Queued } from './queued.ts'
import { Room } from './room.ts'
import type { Counters, Sizes } from './stats.ts'
import { WriteJournal } from './write-journal.ts'

const meta = Object.freeze({ tier: 'write-behind' })

/** Settings, and the dataset of the store below. */
type NamedSettings = WriteBehindSettings & { readonly dataset: string }

/** The verbs of a store behind a queue of writes. */
export class WriteQueue {
  readonly #inner: Store<Bytes>
  readonly #below: ReturnType<typeof understanding<Bytes>>
  readonly #settings: WriteBehindSettings
  readonly #counters: Counters
  readonly #maxValueBytes: number
  readonly #room: Room
  readonly #queue: Queue
  readonly #flusher: Flusher
  readonly #intake: Intake
  readonly #journal: WriteJournal | undefined
  /** The journal is read once, before anything is answered. */
  readonly #opening: Opening<true>
  #isReady: boolean
  #closing: Promise<void> | undefined

  constructor(inner: Store<Bytes>, maxValueBytes: number, settings: NamedSettings, counters: Counters) {
    this.#inner = inner
    this.#below = understanding(inner)
    this.#settings = settings
    this.#counters = counters
    this.#maxValueBytes = maxValueBytes
    this.#room = new Room(settings.maxQueued, settings.maxQueuedBytes)
    this.#queue = new Queue(this.#room, counters, settings.maxQueuedBytes)
    const isNeeded = (key: string): boolean => this.#queue.find(key) !== undefined
    this.#journal =
      settings.journal === undefined
        ? undefined
        : new WriteJournal(settings.journal, settings, counters, isNeeded)
    this.#flusher = new Flusher({
      store: inner,
      queue: this.#queue,
      room: this.#room,
      settings,
      counters,
      settled: (keys) => this.#forget(keys),
      restored: (change) => this.#keepAgain(change),
    })
    this.#intake = new Intake({
      room: this.#room,
      queue: this.#queue,
      flusher: this.#flusher,
      journal: this.#journal,
      settings,
      counters,
    })
    this.#isReady = this.#journal === undefined
    this.#opening = new Opening<true>(
      (closing) => this.#replay(closing),
      async () => {},
    )
    // Changes that an earlier process left go to the store even without a call. A failure is told to the first caller.
    if (!this.#isReady) this.#opening.open().catch(() => {})
  }

  get size(): Sizes {
    return {
      queued: this.#room.entries,
      queuedBytes: this.#room.bytes,
      inDoubt: this.#journal?.inDoubt ?? 0,
    }
  }

  read(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<Bytes>[]> {
    this.#refuseClosed()
    if (!this.#isReady) return this.#ready(call).then(() => this.read(reads, call))
    if (this.#queue.isEmpty) return this.#below.read(reads, call)
    const queued = reads.map(({ key }) => this.#queue.find(key))
    // A cache asks for 'strong' on behalf of plain reads, and what is queued is newer than the store.
    const isStrong = call.consistency === 'strong' && forPlainReads.of(call.facts) === undefined
    if (isStrong) return this.#readStrong(reads, queued, call)
    const rest = reads.filter((_, i) => queued[i] === undefined)
    if (rest.length === reads.length) return this.#below.read(reads, call)
    const found = rest.length === 0 ? [] : this.#below.read(rest, call)
    let next = 0
    return andThen(found, (results) =>
      reads.map((read, i) => {
        const one = queued[i]
        if (one === undefined) return results[next++]
        const answer = this.#answer(read, one.change)
        if (answer === undefined) noteAbsent(call, read.key, meta)
        return answer
      }),
    )
  }

  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    this.#refuseClosed()
    if (!this.#isReady) await this.#ready(call)
    const refusal = endOf(call, true)
    if (refusal !== undefined) throw refusal
    const changes = mutations.some((one) => one.type === 'set' && one.expiresAt === 'keep')
      ? await this.#kept(mutations, call)
      : mutations.map((mutation) => this.#changeOf(mutation, undefined))
    const leaving: Leaving = []
    const outcomes = await this.#intake.accept(changes, call, leaving)
    if (this.#settings.background !== undefined) return outcomes as readonly WriteResult[]
    // Without a background nothing may go on after the answer.
    return bounded(
      call,
      true,
      () => Promise.all(outcomes.map(async (outcome) => outcome)),
      () => {
        for (const leave of leaving) leave()
      },
    )
  }

  scan(range: ScanRange, call: CallOptions): Pages<Bytes> {
    this.#refuseClosed()
    if (this.#isReady && this.#queue.isEmpty) return this.#below.scan(range, call)
    return this.#scanLater(range, call)
  }

  /** Resolves when all that is acknowledged now is in the store. Errors: see the handle. */
  async flush(call: CallOptions): Promise<void> {
    if (!this.#isReady) await this.#ready(call)
    try {
      await this.#flushed(this.#queue.all(), call, true)
    } catch (error) {
      const { lastError } = this.#flusher
      const isOver = isStoreError(error) && error.code === 'TIMEOUT'
      if (!isOver) throw error
      const message = 'Acknowledged writes are still in the queue; they will be written to the store.'
      throw new StoreError('TIMEOUT', message, lastError === undefined ? {} : { cause: lastError })
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#intake.close()
    await this.#opening.close()
    const { graceMs } = this.#settings
    const endsAt = performance.now() + graceMs
    // A journal that hangs holds up the caller no longer than the store may.
    const grace = setTimeout(() => this.#journal?.giveUp(), graceMs)
    // Meanwhile the store takes what is queued.
    await this.#flusher.hurry(async () => this.#journal?.ended())
    await this.#flusher.finish(Math.max(0, endsAt - performance.now()))
    const left = this.#queue.all()
    await this.#journal?.finish()
    clearTimeout(grace)
    const error = this.#giveUp(left)
    const ends = await Promise.allSettled([this.#inner.close(), this.#journal?.close()])
    if (error !== undefined) throw error
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  /** Drop the writes that are left: they are in the journal, or lost. */
  #giveUp(left: readonly Queued[]): StoreError | undefined {
    const { lastError } = this.#flusher
    const cause = lastError === undefined ? {} : { cause: lastError }
    const message = 'The write was dropped, because the stack was closed before the store accepted it.'
    for (const { told } of left.flatMap(chainOf))
      for (const tell of told) tell(new StoreError('OUTCOME_UNKNOWN', message, cause))
    const acknowledged = left.filter(({ isAcknowledged }) => isAcknowledged)
    if (this.#journal !== undefined) this.#counters.leftInJournal += acknowledged.length
    if (this.#journal !== undefined || acknowledged.length === 0) return undefined
    const error = new StoreError(
      'UNAVAILABLE',
      `Closed with ${acknowledged.length} acknowledged writes that the store did not accept; they are lost. Raise graceMs, or add a journal.`,
      { ...cause, store: this.#inner.name },
    )
    const parts = { counters: this.#counters, settings: this.#settings }
    for (const { change } of acknowledged) lose(change, error, parts)
    return error
  }

  #refuseClosed(): void {
    if (this.#closing !== undefined) throw closed()
  }

  async #ready(call: CallOptions): Promise<void> {
    await this.#opening.opened(call)
    this.#refuseClosed()
  }

  async #replay(closing: AbortSignal): Promise<true> {
    const changes = await this.#left(closing)
    for (const change of changes) {
      this.#room.take(bytesOf(change))
      this.#queue.put(change, true)
    }
    this.#counters.replayed += changes.length
    this.#isReady = true
    this.#flusher.kick()
    return true
  }

  /** The changes in the journal. A journal that hangs, and does not hear that the stack is closed, is left alone. */
  #left(closing: AbortSignal): Promise<readonly Change[]> {
    const load = async (): Promise<readonly Change[]> => (await this.#journal?.load(closing)) ?? []
    return bounded(callOptions({ signal: closing }), false, load, () => {})
  }

  /** Remove records of the journal, unless something newer is in the queue: then they are of that. */
  async #forget(keys: readonly string[]): Promise<void> {
    await this.#journal?.remove(keys)
  }

  /** The journal has what replaced this change: the record is of this one again, unless something newer is in the queue. */
  #keepAgain(change: Change): Promise<unknown> | undefined {
    const isNewest = (): boolean => this.#queue.find(change.key)?.change === change
    return this.#journal?.put(
      [change],
      () => (isNewest() ? undefined : closed()),
      () => {},
    )
  }

  // Reads and scans

  #answer({ head, ifNotVersion }: Read, change: Change): ReadResult<Bytes> {
    if (change.type === 'delete' || !isLive(change.expiresAt, this.#settings.clock())) return undefined
    const { version, expiresAt } = change
    const isKnown = ifNotVersion === version && this.#inner.capabilities.conditionalRead
    if (head === true || isKnown) return { notModified: true, version, expiresAt, meta }
    return { value: new Uint8Array(change.value), version, expiresAt, meta }
  }

  async #readStrong(
    reads: readonly Read[],
    queued: readonly (Queued | undefined)[],
    call: CallOptions,
  ): Promise<readonly ReadResult<Bytes>[]> {
    const waiting = queued.filter((one) => one !== undefined)
    if (waiting.length > 0) await this.#flushed(waiting, call, false)
    return this.#below.read(reads, call)
  }

  async *#scanLater(range: ScanRange, call: CallOptions) {
    if (!this.#isReady) await this.#ready(call)
    await this.#flushed(this.#queue.all(), call, false)
    yield* this.#below.scan(range, call)
  }

  /** Wait until the store has what is queued there, or will never have it. */
  async #flushed(queued: readonly Queued[], call: CallOptions, isStrict: boolean): Promise<void> {
    for (let left = queued; left.length > 0; left = this.#restored(left)) {
      let told: AllTold | undefined
      // A call that is over waits for nothing, so no caller would hear a refusal.
      const ask = (): Promise<void> => {
        told = new AllTold(left, isStrict)
        return told.answer
      }
      await this.#flusher.hurry(() => bounded(call, false, ask, () => told?.leave()))
    }
  }

  /** The changes that are on their way again in place of those that the store refused. */
  #restored(ended: readonly Queued[]): readonly Queued[] {
    return ended.flatMap(({ before, change }) => {
      const newest = before && this.#queue.find(change.key)
      return newest !== undefined && chainOf(newest).includes(before as Queued) ? [newest] : []
    })
  }

  // Writes

  #changeOf(mutation: Mutation<Bytes>, kept: number | undefined): Change | StoreError {
    return changeOf(mutation, kept, this.#maxValueBytes)
  }

  /** The changes, with the present expiry of the keys where it is kept. */
  async #kept(
    mutations: readonly Mutation<Bytes>[],
    call: CallOptions,
  ): Promise<readonly (Change | StoreError)[]> {
    const keeping = mutations.filter((one) => one.type === 'set' && one.expiresAt === 'keep')
    const results = await this.read(
      keeping.map(({ key }) => ({ key, head: true })),
      call,
    )
    const found = new Map(keeping.map(({ key }, i) => [key, results[i]]))
    return mutations.map((mutation) => {
      const now = found.get(mutation.key)
      return isStoreError(now) ? now : this.#changeOf(mutation, now?.expiresAt)
    })
  }
}
