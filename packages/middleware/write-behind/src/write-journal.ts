import {
  type AnyStore,
  type Bytes,
  isStoreError,
  newVersion,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { holdStore, releaseStore, Turns } from '@unikv/core/adapter'
import type { Doubt, Target } from './doubts.ts'
import { JournalRecords, type JournalSettings } from './journal-records.ts'
import type { Change } from './queued.ts'
import type { Counters } from './stats.ts'

/** Most keys whose records are looked after together. */
const mostAtOnce = 100

/** Records of a key that are removed: those below `end`. */
interface Range {
  readonly key: string
  readonly name: string
  readonly doubt: Doubt
  readonly end: number
}

/**
 * Acknowledged writes in another store: of each key the newest, in a record whose name is a hash of the dataset and the
 * key, so that keys of any length fit and two datasets never meet. All that is done to the record of one key is done one
 * after the other. Where a call ended without an outcome, later records of its keys have other names: see `Doubts`.
 */
export class WriteJournal {
  /** Another stack may have been given the same one. */
  readonly #given: AnyStore
  readonly #records: JournalRecords
  readonly #dataset: string
  readonly #counters: Counters
  readonly #turns = new Turns()
  /** Whether a record of the key is needed still. */
  readonly #isNeeded: (key: string) => boolean
  /** Keys whose records are of no use any more, and could not be removed. */
  readonly #leftovers = new Set<string>()

  constructor(
    store: Store<Bytes>,
    settings: JournalSettings,
    counters: Counters,
    isNeeded: (key: string) => boolean,
  ) {
    this.#records = new JournalRecords(store, settings, (keys) => this.#clean(keys))
    this.#dataset = settings.dataset
    this.#counters = counters
    this.#isNeeded = isNeeded
    this.#given = settings.givenJournal ?? store
    holdStore(this.#given)
  }

  /**
   * The changes that an earlier process left. Records that cannot be read are counted, and left where they are.
   *
   * @throws {StoreError} of the store
   */
  async load(signal: AbortSignal): Promise<readonly Change[]> {
    const { changes, refused } = await this.#records.load(signal)
    this.#counters.refused += refused
    if (refused > 0)
      process.emitWarning(
        `${refused} records of the journal could not be read, or are of another dataset, so the writes in them are not in the store. They are left where they are. This dataset is ${this.#dataset}; if its store has moved, give writeBehind({ dataset }) the former name.`,
        { code: 'UNIKV_JOURNAL' },
      )
    return changes
  }

  /**
   * Write changes of different keys, when earlier work on these has ended. `kept` is called before later work, with
   * those that are in the journal. Never rejects.
   */
  put(
    changes: readonly Change[],
    begin: () => StoreError | undefined,
    kept: (change: Change) => unknown,
  ): Promise<readonly (StoreError | undefined)[]> {
    const keys = changes.map(({ key }) => key)
    return this.#turns.take(keys, async () => {
      const refusal = begin()
      if (refusal !== undefined) return changes.map(() => refusal)
      const results = await this.#records.set(changes)
      return changes.map((change, i) => this.#outcome(change, results[i] as WriteResult, kept))
    })
  }

  /** Keys of which a write or a removal may still come late. */
  get inDoubt(): number {
    return this.#records.doubts.size
  }

  /** Why nothing more can be written, if so. */
  refusal(): StoreError | undefined {
    if (!this.#records.doubts.isFull) return undefined
    // A doubt that is over is forgotten when its records are gone.
    void this.remove([])
    return inDoubt(this.#given.name)
  }

  /**
   * Remove the records of these keys that are not needed. Failed removals are tried again with the next ones, so many at a time.
   * Never rejects.
   */
  async remove(keys: readonly string[], mostLeftovers: number = mostAtOnce): Promise<void> {
    const all = new Set(keys)
    const most = all.size + mostLeftovers
    for (const key of this.#leftovers) {
      if (all.size >= most) break
      all.add(key)
    }
    for (const key of all) this.#leftovers.delete(key)
    await this.#clean(Array.from(all))
  }

  /** End what is under way, and begin nothing more. */
  giveUp(): void {
    this.#records.giveUp()
  }

  /** Resolves when nothing is under way. */
  ended(): Promise<void> {
    return this.#turns.ended()
  }

  /** Remove what is left. Keys that are in doubt leave their records. */
  async finish(): Promise<void> {
    this.#records.doubts.close()
    await this.#turns.ended()
    await this.remove(this.#records.doubts.over(), Number.POSITIVE_INFINITY)
  }

  close(): Promise<void> {
    return releaseStore(this.#given)
  }

  #outcome(change: Change, result: WriteResult, kept: (change: Change) => unknown): StoreError | undefined {
    if (!isStoreError(result)) {
      kept(change)
      return undefined
    }
    // The record may be there all the same.
    if (result.code === 'OUTCOME_UNKNOWN') this.#leftovers.add(change.key)
    return result
  }

  /** Clean the records of these keys now. Never rejects. */
  async #clean(keys: readonly string[]): Promise<void> {
    for (let i = 0; i < keys.length; i += mostAtOnce) {
      const some = keys.slice(i, i + mostAtOnce)
      await this.#turns.take(some, () => this.#cleanTaken(some))
    }
  }

  async #cleanTaken(keys: readonly string[]): Promise<void> {
    const targets = keys.map((key) => this.#records.target(key))
    const idle = targets.filter(({ key }) => !this.#isNeeded(key))
    const certain = idle.filter(({ name }) => this.#records.doubts.of(name) === undefined)
    await Promise.all([this.#guard(idle), this.#deleteOlder(targets, certain)])
    await this.#deleteAll(idle)
  }

  /** Let what comes late to these keys count for nothing after a restart. */
  async #guard(idle: readonly Target[]): Promise<void> {
    const open = idle.filter(({ name }) => {
      const doubt = this.#records.doubts.of(name)
      return doubt !== undefined && doubt.late.length > 0 && !doubt.isGuarded
    })
    if (open.length === 0) return
    if (this.#records.doubts.isFull) {
      for (const { key } of open) this.#leftovers.add(key)
      return
    }
    const results = await this.#records.set(
      open.map(({ key }) => ({ type: 'guard', key, version: newVersion() })),
    )
    open.forEach(({ key }, i) => {
      if (isStoreError(results[i])) this.#leftovers.add(key)
    })
  }

  /** Remove `others`, and of `targets` what is older than a record that counts, as far as nothing comes late to it. */
  async #deleteOlder(targets: readonly Target[], others: readonly Target[]): Promise<void> {
    const older = targets.flatMap(({ key, name }) => {
      const doubt = this.#records.doubts.of(name)
      return doubt === undefined ? [] : { key, name, doubt, end: Math.min(doubt.held, ...doubt.late) }
    })
    const left = await this.#delete([...others, ...older.flatMap(generationsOf)])
    for (const { name, doubt, end } of older) if (!left.has(name)) doubt.oldest = end
  }

  /** Remove all records of those to which nothing comes late any more. Older ones are gone, as they must not be alone. */
  async #deleteAll(idle: readonly Target[]): Promise<void> {
    const over = idle.flatMap(({ key, name }) => {
      const doubt = this.#records.doubts.of(name)
      const isOver = doubt !== undefined && doubt.late.length === 0 && doubt.oldest === doubt.held
      return isOver ? { key, name, doubt, end: doubt.newest + 1 } : []
    })
    const left = await this.#delete(over.flatMap(generationsOf))
    for (const { name } of over) if (!left.has(name)) this.#records.doubts.forget(name)
  }

  /** Remove records; names of which some are left. */
  async #delete(targets: readonly Target[]): Promise<ReadonlySet<string>> {
    const left = await this.#records.delete(targets)
    for (const { key } of left) this.#leftovers.add(key)
    return new Set(left.map(({ name }) => name))
  }
}

/** The error of a write for which the journal has no memory. */
function inDoubt(journal: string): StoreError {
  return new StoreError(
    'OVERLOADED',
    `Too many writes of the journal in ${journal} ended without an outcome; nothing was changed. Try later, or raise maxQueuedBytes.`,
  )
}

/** The generations that are removed. */
function generationsOf({ key, name, doubt, end }: Range): readonly Target[] {
  const count = Math.max(0, end - doubt.oldest)
  return Array.from({ length: count }, (_, i) => ({ key, name, generation: doubt.oldest + i }))
}
