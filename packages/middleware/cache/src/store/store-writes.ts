import {
  type Awaitable,
  type Bytes,
  type CallOptions,
  isWritten,
  type Mutation,
  type Store,
  StoreError,
  type WriteResult,
  type Written,
} from '@unikv/core'
import { endOf } from '@unikv/core/adapter'
import type { Counters } from '../cache-stats.ts'
import type { Flights } from '../loads/flights.ts'
import { freshEnd } from '../loads/refresh-ahead.ts'
import { isUnknown } from '../loads/writes-under-way.ts'
import type { StoreCacheSettings } from '../store-cache-options.ts'
import type { CacheRecord } from '../tier/cache-record.ts'
import type { Marks, Tier } from '../tier/tier.ts'
import { TierWait } from '../tier/tier-wait.ts'
import { copyTree } from '../values/copy.ts'
import { writtenEntry } from '../write-through.ts'
import type { Validators } from './validators.ts'

type Mutations = readonly Mutation<Bytes>[]

/** Shared parts of the writes of a cache in a store. */
export interface WriteParts {
  readonly inner: Pick<Store<Bytes>, 'write'>
  /** Whether a batch takes effect as a whole. */
  readonly isAtomic: boolean
  readonly tier: Tier
  readonly validators: Validators
  readonly flights: Flights
  readonly settings: StoreCacheSettings
  readonly counters: Counters
}

/** The outcome of a write. */
interface Ended {
  readonly results: readonly WriteResult[]
  /** Keys at which something may lie from before it. */
  readonly unsure: ReadonlySet<string>
}

/** One write of some keys: their records are void from when it begins, and gone, or new ones, before it is acknowledged. */
export class StoreWrite {
  readonly #parts: WriteParts
  readonly #call: CallOptions
  readonly #askedAt: number
  readonly #wait: TierWait

  constructor(parts: WriteParts, call: CallOptions) {
    this.#parts = parts
    this.#call = call
    this.#wait = new TierWait(call)
    this.#askedAt = parts.settings.clock()
  }

  async run(asked: Mutations): Promise<readonly WriteResult[]> {
    const { tier, settings } = this.#parts
    const keys = asked.map(({ key }) => key)
    const fills = settings.onWrite === 'through'
    const mutations = fills ? asked.map(asItIs) : asked
    const marking = tier.mark(keys, this.#call, fills ? fillable(mutations) : new Set(), this.#wait)
    if (settings.writes === 'consistent') return this.#marked(mutations, await marking)
    // A key that is marked while its write is under way may not be filled: another writer may have come and gone meanwhile.
    if (fills) await marking
    const { results } = await this.#sent(mutations, marking, fills)
    return results
  }

  /**
   * Those keys alone are written that no process can read the former values of any more, and a write is acknowledged when it
   * is sure that none can since.
   */
  async #marked(mutations: Mutations, marks: Marks): Promise<readonly WriteResult[]> {
    const sent = mutations.filter(({ key }) => marks.has(key))
    if (this.#parts.isAtomic && sent.length < mutations.length) return this.#refused(mutations, sent, marks)
    const { results, unsure } = await this.#sent(sent, marks, true)
    let next = 0
    return mutations.map(({ key }) => {
      if (!marks.has(key)) return unmarked(key)
      const result = results[next++] as WriteResult
      return isWritten(result) && unsure.has(key) ? unconfirmed(key, result) : result
    })
  }

  /** A batch that takes effect as a whole is refused as a whole. */
  async #refused(mutations: Mutations, sent: Mutations, marks: Marks): Promise<readonly WriteResult[]> {
    await this.#unmark(sent, [], () => false, marks)
    return mutations.map(({ key }) => (marks.has(key) ? withOthers(key) : unmarked(key)))
  }

  /** Write, and then end the marks, for every outcome. `isLate`: the call may have ended before. */
  async #sent(mutations: Mutations, marking: Awaitable<Marks>, isLate: boolean): Promise<Ended> {
    if (mutations.length === 0) return { results: [], unsure: new Set() }
    let results: readonly WriteResult[] = []
    let failure: { readonly error: unknown } | undefined
    try {
      const refusal = isLate ? endOf(this.#call, true) : undefined
      if (refusal !== undefined) throw refusal
      results = await this.#parts.inner.write(mutations, this.#call)
    } catch (error) {
      failure = { error }
    }
    const isInDoubt = (i: number): boolean => isUnknown(failure === undefined ? results[i] : failure.error)
    const unsure = await this.#unmark(mutations, results, isInDoubt, await marking)
    if (failure !== undefined) throw failure.error
    return { results, unsure }
  }

  /** The end of marks: removed, or replaced by what was written. Those of writes in doubt stand. Answers unsure keys. */
  async #unmark(
    mutations: Mutations,
    results: readonly WriteResult[],
    isInDoubt: (i: number) => boolean,
    marks: Marks,
  ): Promise<ReadonlySet<string>> {
    const { tier, validators, counters } = this.#parts
    const over = mutations.filter(({ key }, i) => !isInDoubt(i) || marks.get(key) === undefined)
    const fills = new Map<string, CacheRecord>()
    for (const [i, mutation] of mutations.entries()) {
      const record = this.#written(mutation, results[i], marks)
      if (record !== undefined) fills.set(mutation.key, record)
    }
    const keys = over.map(({ key }) => key)
    const { filled, unsure } = await tier.unmark(keys, marks, fills, this.#wait)
    for (const [key, version] of filled) validators.note(key, version, fills.get(key))
    counters.unmarkedWrites += unsure.size
    return unsure
  }

  /** The part of a write that may be kept. */
  #written(
    mutation: Mutation<Bytes>,
    result: WriteResult | undefined,
    marks: Marks,
  ): CacheRecord | undefined {
    const { flights } = this.#parts
    if (mutation.type !== 'set' || marks.get(mutation.key)?.fills !== true) return undefined
    if (!flights.isWrittenAlone(mutation.key)) return undefined
    const entry = writtenEntry(mutation, mutation.value, result)
    const freshUntil = entry && this.#freshUntil()
    return freshUntil === undefined ? undefined : { entry, freshUntil }
  }

  /** Nothing if the random numbers of the application fail: the write was acknowledged. */
  #freshUntil(): number | undefined {
    const { settings } = this.#parts
    try {
      return freshEnd(this.#askedAt, settings.freshForMs, settings)
    } catch {
      return undefined
    }
  }
}

/** The written and the kept value are the same, even if the owner changes its bytes meanwhile. */
function asItIs(mutation: Mutation<Bytes>): Mutation<Bytes> {
  return mutation.type === 'set' ? { ...mutation, value: copyTree(mutation.value) as Bytes } : mutation
}

function fillable(mutations: Mutations): ReadonlySet<string> {
  return new Set(mutations.filter(({ type }) => type === 'set').map(({ key }) => key))
}

function unmarked(key: string): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    "The cache store did not void its record of this key, so the write was not sent. Try again, or say writes: 'available'.",
    { key },
  )
}

function withOthers(key: string): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    'Not written, as the cache store did not void its record of another key of the batch. Try again.',
    { key },
  )
}

function unconfirmed(key: string, { version }: Written): StoreError {
  return new StoreError(
    'OUTCOME_UNKNOWN',
    'The write took effect, but the cache store did not confirm that its record of this key is void: other processes may read the former value until it ends. Write again, or wait for freshForMs.',
    { key, version },
  )
}
