import { timingSafeEqual } from 'node:crypto'
import {
  type Awaitable,
  andThen,
  type Bytes,
  type CallOptions,
  isConditionFailed,
  isEntry,
  isPromise,
  isStoreError,
  mapPages,
  newVersion,
  type Page,
  type Pages,
  type Read,
  type ReadResult,
  type ScanRange,
  type Store,
  StoreError,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { strongLevel } from '../strong-level.ts'
import { markerKey, readMarker, writeMarker } from './marker.ts'
import { type ProbeParts, probe } from './probe.ts'

/** How long what was read of the marker is believed, in milliseconds. */
export const believedMs = 10_000

/** Parts of a guard. */
export interface GuardParts extends ProbeParts {
  /** Monotonic time in milliseconds. */
  readonly now: () => number
}

/**
 * Keeps a stack with another name key from a dataset, where it would find nothing and say that there is nothing.
 * The marker is read along with the first keys, and again every ten seconds; the first write makes it.
 */
export class NameGuard {
  readonly #inner: Store<Bytes>
  readonly #parts: GuardParts
  #believedUntil = Number.NEGATIVE_INFINITY
  #isMarked = false
  #isClosing = false
  /** Without a marker: that no record was there that others wrote. */
  #isProbed = false

  constructor(inner: Store<Bytes>, parts: GuardParts) {
    this.#inner = inner
    this.#parts = parts
  }

  /** Results of the reads alone. */
  read(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<Bytes>[]> {
    if (reads.length === 0 || this.#isBelieved) return this.#inner.read(reads, call)
    if (this.#level !== undefined)
      return andThen(this.#look(call), (failure) =>
        andThen(this.#inner.read(reads, call), (results) => withoutMisses(results, failure)),
      )
    const askedAt = this.#parts.now()
    return andThen(this.#inner.read([...reads, { key: markerKey }], call), (results) =>
      andThen(this.#judge(results.at(-1), askedAt, call), (failure) =>
        withoutMisses(results.slice(0, -1), failure),
      ),
    )
  }

  /** Pages of what the store has, after the marker: it is read again when it is old, or a page might lack what a rekey moved. */
  scan(range: ScanRange, call: CallOptions): Pages<Bytes> {
    return mapPages(this.#begun(range, call), (page) =>
      this.#isMarked && !this.#isBelieved ? andThen(this.#look(call, true), () => page) : page,
    )
  }

  #begun(range: ScanRange, call: CallOptions): Pages<Bytes> {
    const pages = this.#inner.scan(range, call)
    if (this.#isBelieved) return pages
    if (!(Symbol.iterator in pages)) return after(() => this.#look(call, true), pages)
    const looked = this.#look(call, true)
    if (!isPromise(looked)) return pages
    looked.catch(() => {})
    return after(() => looked, pages)
  }

  /** @throws {StoreError} `INVALID_CONFIG` under another name key, `UNAVAILABLE` while a rekey ends */
  beforeWrite(call: CallOptions): Awaitable<unknown> {
    if (this.#isBelieved && !this.#isClosing) return undefined
    return andThen(this.#look(call, true), () => {
      if (this.#isClosing) throw closing()
      return this.#isMarked ? undefined : this.#mark(call)
    })
  }

  get #isBelieved(): boolean {
    return this.#isMarked && this.#parts.now() < this.#believedUntil
  }

  get #level(): 'strong' | undefined {
    return strongLevel(this.#inner)
  }

  /**
   * Gives why the marker could not be read; thrown instead for writes and listings (`isNeeded`), as it might say that nothing
   * is written any more, or that what is listed has gone elsewhere.
   */
  #look(call: CallOptions, isNeeded = false): Awaitable<StoreError | undefined> {
    const askedAt = this.#parts.now()
    const own = ownCall(call, this.#level)
    return andThen(this.#inner.read([{ key: markerKey }], own), ([result]) => {
      if (isNeeded && isStoreError(result)) throw result
      return this.#judge(result, askedAt, call)
    })
  }

  /** Believed from when it was asked for, however long the answer took. */
  #judge(result: ReadResult<Bytes>, askedAt: number, call: CallOptions): Awaitable<StoreError | undefined> {
    if (isStoreError(result)) {
      if (this.#isMarked && !this.#isClosing) return result
      throw result
    }
    this.#isMarked = isEntry(result)
    if (!isEntry(result)) return andThen(this.#probe(call), () => undefined)
    const marker = readMarker(result.value)
    const { check } = this.#parts.naming
    if (!timingSafeEqual(marker.check, check)) {
      this.#isMarked = false
      throw marker.state !== 'settled' && timingSafeEqual(marker.next, check) ? unfinished() : otherNames()
    }
    this.#isClosing = marker.state === 'closing'
    this.#believedUntil = askedAt + believedMs
    return undefined
  }

  #probe(call: CallOptions): Awaitable<void> {
    if (this.#isProbed || this.#inner.capabilities.scan === false) return
    return andThen(probe(this.#inner, this.#parts, ownCall(call)), () => {
      this.#isProbed = true
    })
  }

  /** If several writers make the marker, the first is right, where the store checks conditions. */
  #mark(call: CallOptions): Awaitable<unknown> {
    const askedAt = this.#parts.now()
    const value = writeMarker({ state: 'settled', check: this.#parts.naming.check })
    const ifVersion = this.#inner.capabilities.conditionalWrite ? null : undefined
    const mutation = { type: 'set', key: markerKey, value, version: newVersion(), ifVersion } as const
    return andThen(this.#inner.write([mutation], ownCall(call)), ([result]) => {
      if (isStoreError(result)) throw result
      if (result !== undefined && isConditionFailed(result)) return this.#look(call, true)
      this.#isMarked = true
      this.#believedUntil = askedAt + believedMs
      return undefined
    })
  }
}

/** While the name key of a dataset is unknown, records that are found are right, and others may be elsewhere. */
function withoutMisses(
  results: readonly ReadResult<Bytes>[],
  failure: StoreError | undefined,
): readonly ReadResult<Bytes>[] {
  return failure === undefined ? results : results.map((result) => result ?? failure)
}

/** A call of its own for the marker: its outcome says nothing of the caller's call, which has not been sent yet. */
function ownCall({ deadlineAt, signal }: CallOptions, consistency?: string): CallOptions {
  return callOptions({ deadlineAt, signal, consistency })
}

async function* after(look: () => Awaitable<unknown>, pages: Pages<Bytes>): AsyncGenerator<Page<Bytes>> {
  await look()
  yield* pages
}

function otherNames(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'The key names of this dataset are hashed under another name key. Give that one, or change it with rekey.',
  )
}

function unfinished(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'A rekey to this name key has not finished: until then the former one reads and writes.',
  )
}

function closing(): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    'The name key of this dataset is being changed: nothing is written until the stack has the new one.',
  )
}
