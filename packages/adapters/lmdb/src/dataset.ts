import {
  type Bytes,
  type CallOptions,
  type Check,
  isLive,
  type Mutation,
  type Page,
  type Read,
  type ReadResult,
  type ScanRange,
  StoreError,
  type TogetherChange,
  type WriteResult,
} from '@unikv/core'
import { closed, SweepRounds, wereMade } from '@unikv/core/adapter'
import { nextTurn } from '@unikv/core/platform'
import { applyChanges, type Change, changesOf, replacesAnything } from './batch.ts'
import { inOwnTurn } from './client/foreign-globals.ts'
import type { LmdbDatabase } from './client/lmdb-client.ts'
import { Environment } from './environment/environment.ts'
import { Replacements } from './environment/replacements.ts'
import { addedBytes, sizeOf } from './environment/size.ts'
import { unfailing } from './environment/writing.ts'
import { lmdbError } from './errors.ts'
import { Expired, removeExpired } from './expired.ts'
import { pageOf } from './listing.ts'
import type { LmdbSettings } from './options.ts'
import { entryOf, viewRecord } from './record-view.ts'

/** An open dataset. */
interface Opened {
  readonly environment: Environment
  readonly database: LmdbDatabase
  readonly replacements: Replacements
}

/** A dataset in an environment. Nothing is opened before the first use. */
export class LmdbDataset {
  readonly #settings: LmdbSettings
  readonly #expired = new Expired()
  readonly #rounds = new SweepRounds()
  #present: Opened | undefined
  #isClosed = false

  constructor(settings: LmdbSettings) {
    this.#settings = settings
  }

  /** Opens and makes the dataset if need be. */
  get native(): LmdbDatabase {
    return this.#opened().database
  }

  read(reads: readonly Read[]): readonly ReadResult<Bytes>[] {
    const opened = this.#openedForReads()
    if (opened === undefined) return reads.map(() => undefined)
    const now = this.#settings.clock()
    try {
      const only = reads[0] as Read
      if (reads.length === 1) return [this.#readOne(opened, only, now)]
      return reads.map((read) => this.#readOne(opened, read, now))
    } finally {
      opened.environment.letGo()
    }
  }

  /** In one of the next transactions; resolves when it is flushed. With checks, all changes or none. */
  write(
    mutations: readonly Mutation<Bytes>[],
    options: CallOptions,
    checks?: readonly Check[],
  ): Promise<readonly WriteResult[]> {
    const opened = this.#openedForWrites(mutations)
    if (this.#rounds.isDue(mutations)) this.#look(opened)
    const { environment, database, replacements } = opened
    const only = mutations[0] as Mutation<Bytes>
    // Expired records go with the next write that has a function.
    if (mutations.length === 1 && replacesAnything(only) && this.#expired.isEmpty && !this.#isBounded)
      return replacements.add(only, options)
    const changes = changesOf(mutations)
    const action = () => this.#apply(opened, changes, options, checks)
    // A transaction inside the one that other calls share: what fails in it is undone by itself.
    const isolated = changes.length > 1 || this.#isBounded
    const written = environment.write(() =>
      inOwnTurn(() => (isolated ? database.childTransaction(action) : database.transaction(action))),
    )
    environment.track(written)
    return written
  }

  /** At once; flushed when it returns. With checks, all changes or none. */
  writeNow(
    mutations: readonly Mutation<Bytes>[],
    options: CallOptions,
    checks?: readonly Check[],
  ): readonly WriteResult[] {
    const opened = this.#openedForWrites(mutations)
    const changes = changesOf(mutations)
    if (this.#rounds.isDue(mutations)) this.#look(opened)
    return opened.environment.writeNow(() =>
      opened.database.transactionSync(() => this.#apply(opened, changes, options, checks)),
    )
  }

  /** All changes or none. Resolves to whether they were made. */
  async together(
    changes: readonly TogetherChange<Bytes>[],
    checks: readonly Check[],
    options: CallOptions,
  ): Promise<boolean> {
    const results = this.#settings.sync
      ? this.writeNow(changes, options, checks)
      : await this.write(changes, options, checks)
    return wereMade(results)
  }

  *pages(range: ScanRange): Generator<Page<Bytes>> {
    let resume = range.resume
    do {
      const page = this.#page({ ...range, resume })
      yield page
      resume = page.resume
    } while (resume !== undefined)
  }

  /** The same, with the event loop going on in between. */
  async *pagesInTurns(range: ScanRange): AsyncGenerator<Page<Bytes>> {
    for (const page of this.pages(range)) {
      yield page
      await nextTurn()
    }
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const opened = this.#present
    this.#present = undefined
    await opened?.environment.close()
  }

  /** One record; what is wrong with it alone is its result. */
  #readOne(opened: Opened, read: Read, now: number): ReadResult<Bytes> {
    try {
      return this.#found(opened, read, now)
    } catch (error) {
      return lmdbError(error, opened.environment.folder)
    }
  }

  #found(
    { database, environment }: Opened,
    { key, head, ifNotVersion }: Read,
    now: number,
  ): ReadResult<Bytes> {
    const view = viewRecord(database, key, environment.snapshot)
    if (view === undefined) return undefined
    if (!isLive(view.expiresAt, now)) {
      this.#expired.add(key)
      return undefined
    }
    const { version, expiresAt } = view
    return head === true || version === ifNotVersion
      ? { notModified: true, version, expiresAt }
      : entryOf(view)
  }

  #page(range: ScanRange): Page<Bytes> {
    const opened = this.#openedForReads()
    return opened === undefined ? { entries: [] } : this.#pageIn(opened, range)
  }

  #pageIn({ database, environment }: Opened, range: ScanRange): Page<Bytes> {
    const onExpired = (key: string): void => this.#expired.add(key)
    try {
      return pageOf(database, range, environment.snapshot, this.#settings.clock(), onExpired)
    } catch (error) {
      throw lmdbError(error, environment.folder)
    } finally {
      environment.letGo()
    }
  }

  /** The changes of a call, inside a write transaction. */
  #apply(
    { environment, database }: Opened,
    changes: readonly Change[],
    options: CallOptions,
    checks: readonly Check[] | undefined,
  ): readonly WriteResult[] {
    environment.renew()
    const now = this.#settings.clock()
    const before = this.#isBounded ? sizeOf(database.getStats()) : 0
    const results = applyChanges(database, changes, options, now, checks)
    this.#expired.remove(database, now)
    if (this.#isBounded) this.#checkSize(before, database, now)
    return results
  }

  /** Look for expired records among the next ones; they go with the next write. */
  #look(opened: Opened): void {
    try {
      this.#rounds.resume = this.#pageIn(opened, this.#rounds.next()).resume
    } catch {
      // The write itself says what is wrong.
    }
  }

  #takeRoom(opened: Opened, bytes: number | undefined): void {
    try {
      if (bytes !== undefined) opened.environment.takeRoom(bytes)
    } catch (error) {
      this.#makeRoom(opened)
      throw error
    }
  }

  /** Look at the next records, and remove those that are expired, for the writes that come later. */
  #makeRoom(opened: Opened): void {
    this.#look(opened)
    if (this.#expired.isEmpty) return
    const { environment, database } = opened
    const now = this.#settings.clock()
    const remove = (): void => this.#expired.remove(database, now)
    if (this.#settings.sync) unfailing(() => environment.writeNow(() => database.transactionSync(remove)))
    else environment.track(environment.write(() => inOwnTurn(() => database.transaction(remove))))
  }

  get #isBounded(): boolean {
    return this.#settings.maxBytes !== Number.POSITIVE_INFINITY
  }

  /** A write that makes the dataset smaller is never refused, nor is one that fits once expired records are removed. */
  #checkSize(before: number, database: LmdbDatabase, now: number): void {
    const most = Math.max(this.#settings.maxBytes, before)
    if (sizeOf(database.getStats()) <= most) return
    removeExpired(database, now)
    if (sizeOf(database.getStats()) <= most) return
    throw new StoreError(
      'STORE_FULL',
      'The dataset has reached maxBytes; nothing was changed. Delete records, or raise maxBytes.',
    )
  }

  /** The dataset if there is one. An environment is not made for a read. */
  #openedForReads(): Opened | undefined {
    return this.#present ?? this.#open(false)
  }

  #openedForWrites(mutations: readonly Mutation<Bytes>[]): Opened {
    if (!this.#settings.readOnly) {
      const opened = this.#opened()
      this.#takeRoom(opened, addedBytes(mutations))
      return opened
    }
    throw new StoreError('ACCESS_DENIED', 'This store was opened with readOnly: true; nothing was changed.')
  }

  #opened(): Opened {
    const opened = this.#present ?? this.#open(this.#settings.prepare)
    if (opened === undefined) throw notPrepared()
    return opened
  }

  #open(create: boolean): Opened | undefined {
    if (this.#isClosed) throw closed()
    const { dataset, prepare: mayCreate } = this.#settings
    const environment = Environment.open(this.#settings, create)
    try {
      const database = environment?.database(dataset, mayCreate)
      if (environment !== undefined && database !== undefined)
        this.#present = { environment, database, replacements: new Replacements(environment, database) }
      else if (!mayCreate) throw notPrepared()
    } catch (error) {
      void environment?.close()
      throw error
    }
    return this.#present
  }
}

function notPrepared(): StoreError {
  return new StoreError(
    'NOT_PREPARED',
    'There is no such dataset. Leave out prepare: false and readOnly to create it.',
  )
}
