import {
  type CallOptions,
  type Entry,
  isConditionFailed,
  isStoreError,
  type Mutation,
  type Page,
  type Read,
  type ReadMeta,
  type ReadResult,
  type WriteResult,
} from '@unikv/core'
import { absencesOf } from '@unikv/core/adapter'
import type { Counts, StoreFigures } from '../figures.ts'
import type { QueryName } from '../query.ts'
import type { OperationSnapshot, ReadSnapshot, StoreSnapshot, WriteSnapshot } from '../snapshot.ts'
import { type KindSums, Meter, type Timing } from './meter.ts'
import { TransactionMeter } from './transaction-meter.ts'

/** The counts of one store, over all stacks that lead to it. */
export class StoreMeters {
  readonly read: ReadMeter
  readonly scan: ScanMeter
  readonly find: ScanMeter
  readonly native: NativeMeter
  readonly transaction: TransactionMeter
  readonly recovery: TransactionMeter
  readonly #writes: { readonly [type in Mutation<unknown>['type']]: WriteMeter }
  readonly #queries = new Map<QueryName, NativeMeter>()
  readonly #timing: Timing

  constructor(timing: Timing) {
    this.#timing = timing
    this.read = new ReadMeter('read', timing)
    this.scan = new ScanMeter('scan', timing)
    this.find = new ScanMeter('find', timing)
    this.native = new NativeMeter('native', timing)
    this.transaction = new TransactionMeter('transaction', timing)
    this.recovery = new TransactionMeter('recovery', timing)
    this.#writes = {
      set: new WriteMeter('set', timing),
      delete: new WriteMeter('delete', timing),
      touch: new WriteMeter('touch', timing),
      increment: new WriteMeter('increment', timing),
    }
  }

  /** The meter of a call whose mutations are of one type; `undefined`: they are of several. */
  write(mutations: readonly Mutation<unknown>[]): WriteMeter | undefined {
    const type = mutations[0]?.type ?? 'set'
    for (let i = 1; i < mutations.length; i++) if (mutations[i]?.type !== type) return undefined
    return this.#writes[type]
  }

  /** The meters of a call of several types, each with the places of its items. */
  mixed(mutations: readonly Mutation<unknown>[]): ReadonlyMap<WriteMeter, readonly number[]> {
    const places = new Map<WriteMeter, number[]>()
    for (const [i, { type }] of mutations.entries()) {
      const meter = this.#writes[type]
      const its = places.get(meter)
      if (its === undefined) places.set(meter, [i])
      else its.push(i)
    }
    return places
  }

  /** The meter of native calls that query by some attributes; `undefined`: there are too many kinds of them already. */
  query(name: QueryName): NativeMeter | undefined {
    const known = this.#queries.get(name)
    if (known !== undefined || this.#queries.size >= mostQueries) return known
    const meter = new NativeMeter('native', this.#timing)
    this.#queries.set(name, meter)
    return meter
  }

  /** Where bytes of writes are counted. */
  get set(): WriteMeter {
    return this.#writes.set
  }

  snapshot(): StoreSnapshot {
    const operations = this.used().map((meter) => [meter.operation, meter.snapshot()] as const)
    const queries = Array.from(this.#queries, ([name, meter]) => [name, meter.snapshot()] as const)
    return Object.fromEntries([
      ...operations,
      ...(queries.length === 0 ? [] : [['queries', Object.fromEntries(queries)]]),
    ])
  }

  /** The answers since the last call of this; `undefined`: none. */
  take(): StoreFigures | undefined {
    const named = [...this.#all().map((meter) => [meter.operation, meter] as const), ...this.#queries]
    const taken = named.flatMap(([name, meter]) => {
      const figures = meter.take()
      return figures === undefined ? [] : [[name, figures] as const]
    })
    return taken.length === 0 ? undefined : Object.fromEntries(taken)
  }

  /** The meters of operations that were called. */
  used(): readonly Meter[] {
    return this.#all().filter(({ used }) => used)
  }

  #all(): readonly Meter[] {
    const { read, scan, find, native, transaction, recovery } = this
    return [read, ...Object.values(this.#writes), scan, find, native, transaction, recovery]
  }
}

/** An object, and the left side of a comparison, so that V8 compares references. */
const noMeta: ReadMeta = {}

/** Kinds of queries that one store may have. */
const mostQueries = 100

const noKindSums = { misses: 0, absent: 0, stale: 0, conditionsFailed: 0 }

/** Counts reads, and who answered them. */
export class ReadMeter extends Meter {
  readonly #hits = new Map<string, number>()
  /** The one of the last hit, if it was not stale. A cache gives all its hits the same one. */
  #lastMeta = noMeta
  #lastTier: string | null = null
  #lastTierHits = 0
  #misses = 0
  #absent = 0
  #stale = 0

  /** Count results; returns how many of them are errors. Hits come one by one, and in runs of one tier. */
  count(results: readonly ReadResult<unknown>[], call: CallOptions, reads: readonly Read[]): number {
    const meta = (results[0] as Entry<unknown> | undefined)?.meta
    if (this.#lastMeta !== meta || results.length !== 1) return this.#countEach(results, call, reads)
    this.#lastTierHits++
    return 0
  }

  snapshot(): ReadSnapshot {
    this.#noteHits()
    const hits = Object.fromEntries(this.#hits)
    const hit = Object.values(hits).reduce((sum, count) => sum + count, 0)
    const answered = hit + this.#misses
    return {
      ...this.common(answered),
      hits,
      misses: this.#misses,
      absent: this.#absent,
      stale: this.#stale,
      hitRate: answered === 0 ? 0 : hit / answered,
    }
  }

  protected sums(): KindSums {
    const answered = this.#misses + Object.values(this.hits()).reduce((sum, count) => sum + count, 0)
    return { ...noKindSums, answered, misses: this.#misses, absent: this.#absent, stale: this.#stale }
  }

  protected override hits(): Counts {
    this.#noteHits()
    return Object.fromEntries(this.#hits)
  }

  #countEach(results: readonly ReadResult<unknown>[], call: CallOptions, reads: readonly Read[]): number {
    const absences = absencesOf(call)
    let failed = 0
    let absent = 0
    for (const [i, result] of results.entries()) {
      // An absence has no `meta` of its own.
      const meta =
        result === undefined ? absences?.get((reads[i] as Read).key) : (result as Entry<unknown>).meta
      if (result === undefined) absent++
      if (hasTier(meta)) this.#hit(meta)
      else if (isStoreError(result)) {
        failed++
        this.failed(result, 1)
      } else this.#misses++
    }
    this.#absent += absent
    return failed
  }

  /** Only the end of a run costs a look into the map. */
  #hit(meta: ReadMeta & { readonly tier: string }): void {
    if (meta.stale === true) this.#stale++
    this.#lastMeta = meta.stale === true ? noMeta : meta
    if (meta.tier !== this.#lastTier) {
      this.#noteHits()
      this.#lastTier = meta.tier
    }
    this.#lastTierHits++
  }

  #noteHits(): void {
    if (this.#lastTier === null) return
    this.#hits.set(this.#lastTier, (this.#hits.get(this.#lastTier) ?? 0) + this.#lastTierHits)
    this.#lastTierHits = 0
  }
}

function hasTier(meta: ReadMeta | undefined): meta is ReadMeta & { readonly tier: string } {
  return meta?.tier !== undefined
}

/** Counts mutations of one type. */
export class WriteMeter extends Meter {
  #written = 0
  #conditionsFailed = 0

  /** Count results; returns how many of them are errors. */
  count(results: readonly WriteResult[]): number {
    let failed = 0
    for (const result of results) {
      if (isStoreError(result)) {
        failed++
        this.failed(result, 1)
      } else if (isConditionFailed(result)) this.#conditionsFailed++
      else this.#written++
    }
    return failed
  }

  protected sums(): KindSums {
    const conditionsFailed = this.#conditionsFailed
    return { ...noKindSums, answered: this.#written + conditionsFailed, conditionsFailed }
  }

  snapshot(): WriteSnapshot {
    const conditionsFailed = this.#conditionsFailed
    return { ...this.common(this.#written + conditionsFailed), conditionsFailed }
  }
}

/** Counts pages, and the records that queries bring. */
export class ScanMeter extends Meter {
  #entries = 0

  /** Count the entries of a page; returns how many of them are errors. */
  count(entries: Page<unknown>['entries']): number {
    let failed = 0
    for (const { entry } of entries) {
      if (isStoreError(entry)) {
        failed++
        this.failed(entry, 1)
      } else this.#entries++
    }
    return failed
  }

  protected sums(): KindSums {
    return { ...noKindSums, answered: this.#entries }
  }

  snapshot(): OperationSnapshot {
    return this.common(this.#entries)
  }
}

/** Counts calls of native clients, one item each. */
export class NativeMeter extends Meter {
  #answered = 0

  /** Count an answer other than an error. */
  count(): number {
    this.#answered++
    return 0
  }

  protected sums(): KindSums {
    return { ...noKindSums, answered: this.#answered }
  }

  snapshot(): OperationSnapshot {
    return this.common(this.#answered)
  }
}
