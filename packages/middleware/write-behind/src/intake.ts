import {
  type Awaitable,
  andThen,
  type Bytes,
  type CallOptions,
  isPromise,
  isStoreError,
  isVersion,
  type Mutation,
  StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { bounded, endOf, PartCall } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import type { Flusher } from './flusher.ts'
import type { WriteBehindSettings } from './options.ts'
import type { Queue } from './queue.ts'
import { bytesOf, type Change, leave, type Queued } from './queued.ts'
import { overloaded, type Room } from './room.ts'
import type { Counters } from './stats.ts'
import type { WriteJournal } from './write-journal.ts'

/** Each ends one wait for an outcome. */
export type Leaving = (() => void)[]

/** Parts that the intake works with. */
interface IntakeParts {
  readonly room: Room
  readonly queue: Queue
  readonly flusher: Flusher
  readonly journal: WriteJournal | undefined
  readonly settings: WriteBehindSettings
  readonly counters: Counters
}

/** The call of the application, and that of the changes that come in together. */
interface Calls {
  readonly whole: CallOptions
  readonly its: PartCall
}

/** The way into the queue: room first, then the journal if there is one. */
export class Intake {
  readonly #parts: IntakeParts
  #isClosed = false

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  /** Take nothing more. */
  close(): void {
    this.#isClosed = true
    this.#parts.room.dismiss(closed)
  }

  /**
   * Take changes into the queue, as many at a time as there is room for. A caller that no longer waits for outcomes calls
   * `leaving`.
   */
  async accept(
    changes: readonly (Change | StoreError)[],
    call: CallOptions,
    leaving: Leaving,
  ): Promise<readonly Awaitable<WriteResult>[]> {
    const results: (Awaitable<WriteResult> | undefined)[] = changes.map((change) =>
      isStoreError(change) ? change : undefined,
    )
    const groups: PartCall[] = []
    for (let next = 0; next < changes.length; ) {
      const first = results.indexOf(undefined, next)
      if (first < 0) break
      tellParts(call, groups, changes)
      const refusal = await this.#enter(changes[first] as Change, call)
      if (refusal !== undefined) {
        changes.forEach((_, i) => {
          results[i] ??= refusal
        })
        // Nothing was changed: that is an answer to the call as a whole.
        if (results.every((result) => result === refusal)) throw refusal
        break
      }
      const group = [first]
      for (next = first + 1; next < changes.length; next++) {
        const change = changes[next] as Change | StoreError
        if (isStoreError(change)) continue
        if (!this.#parts.room.tryTake(bytesOf(change))) break
        group.push(next)
      }
      // Whether it was sent is said of each group: one that never came in was certainly not.
      const its = new PartCall(call, group.length, groups)
      groups.push(its)
      tellParts(call, groups, changes)
      const outcomes = await this.#put(
        group.map((i) => changes[i] as Change),
        { whole: call, its },
        leaving,
      )
      if (!outcomes.some(isPromise))
        its.results = group.map((i, n) => outcomes[n] ?? { version: (changes[i] as Change).version })
      group.forEach((i, n) => {
        const written = { version: (changes[i] as Change).version }
        results[i] = andThen(outcomes[n], (error) => error ?? written)
      })
    }
    return results as readonly Awaitable<WriteResult>[]
  }

  /** Take room for one; why there is none, if so. */
  async #enter(change: Change, call: CallOptions): Promise<StoreError | undefined> {
    if (this.#isClosed) return closed()
    const bytes = bytesOf(change)
    if (this.#parts.room.tryTake(bytes)) return undefined
    this.#parts.counters.delayed++
    if (this.#parts.settings.whenFull === 'refuse') return overloaded(this.#parts.flusher.lastError)
    try {
      const served = this.#parts.room.wait(bytes, call)
      this.#parts.flusher.kick()
      await served
      return undefined
    } catch (error) {
      return toStoreError(error, {})
    }
  }

  /** Put changes that have room into the queue: at once, or when they are in the journal. */
  async #put(
    changes: readonly Change[],
    { whole, its }: Calls,
    leaving: Leaving,
  ): Promise<readonly Awaitable<StoreError | undefined>[]> {
    // The caller may have been answered since there was room.
    const refusal = this.#isClosed ? closed() : endOf(its, true)
    if (refusal !== undefined) {
      for (const change of changes) this.#parts.room.give(bytesOf(change))
      return changes.map(() => refusal)
    }
    const isAcknowledged = this.#parts.settings.background !== undefined
    const keep = (change: Change): Queued => {
      this.#parts.counters.accepted++
      return this.#parts.queue.put(change, isAcknowledged)
    }
    if (this.#parts.journal === undefined) {
      its.sent = true
      const queued = changes.map(keep)
      this.#parts.flusher.kick()
      return isAcknowledged ? [] : queued.map((one) => outcomeOf(one, leaving))
    }
    const work = this.#putInJournal(this.#parts.journal, changes, keep, its)
    return bounded(
      its,
      true,
      () => work,
      () => {
        whole.settled = true
      },
    ).catch((error: unknown) => changes.map(() => toStoreError(error, {})))
  }

  async #putInJournal(
    journal: WriteJournal,
    changes: readonly Change[],
    keep: (change: Change) => unknown,
    call: CallOptions,
  ): Promise<readonly (StoreError | undefined)[]> {
    const begin = (): StoreError | undefined => {
      const refusal = endOf(call, true) ?? journal.refusal()
      if (refusal === undefined) call.sent = true
      return refusal
    }
    const outcomes = await journal.put(changes, begin, keep)
    outcomes.forEach((outcome, i) => {
      if (outcome !== undefined) this.#parts.room.give(bytesOf(changes[i] as Change))
    })
    this.#parts.flusher.kick()
    return outcomes
  }
}

/** Let a call that ends early know which changes came in. Those that were refused at once have no place in parts. */
function tellParts(
  call: CallOptions,
  groups: readonly PartCall[],
  changes: readonly (Change | StoreError)[],
): void {
  if (changes.some(isStoreError)) return
  const taken = groups.reduce((sum, { size }) => sum + size, 0)
  call.parts = [...groups, new PartCall(call, changes.length - taken, groups)]
}

/** The change that a mutation asks for, its expiry `kept` where it says so; or why it is not taken. */
export function changeOf(
  mutation: Mutation<Bytes>,
  kept: number | undefined,
  maxValueBytes: number,
): Change | StoreError {
  const { key, version, type, ifVersion } = mutation
  if ((type !== 'set' && type !== 'delete') || ifVersion !== undefined)
    return new StoreError(
      'UNSUPPORTED',
      'Behind a queue of writes there are set and delete, without conditions.',
      { key },
    )
  if (!isVersion(version))
    return new StoreError('INVALID_ARGUMENT', 'A version must come from newVersion().', { key })
  if (type === 'delete') return { type, key, version }
  const value: unknown = mutation.value
  if (!isBytes(value))
    return new StoreError(
      'INVALID_VALUE',
      'A queue of writes takes bytes: put a codec above it, such as json() or text().',
      { key },
    )
  if (value.length > maxValueBytes)
    return new StoreError(
      'VALUE_TOO_LARGE',
      `The value has ${value.length} bytes; the store allows ${maxValueBytes}.`,
      { key },
    )
  const { expiresAt } = mutation
  return {
    type,
    key,
    version,
    value: new Uint8Array(value),
    expiresAt: expiresAt === 'keep' ? kept : expiresAt,
  }
}

/** The outcome of a change, when that is known. */
function outcomeOf(queued: Queued, leaving: Leaving): Promise<StoreError | undefined> {
  return new Promise((resolve) => {
    queued.told.add(resolve)
    leaving.push(() => leave(queued, resolve))
  })
}

/** The error of a call after `close`. */
export function closed(): StoreError {
  return new StoreError('CLOSED', 'This store is closed. Open a new one.')
}
