import {
  type Awaitable,
  type Bytes,
  type CallOptions,
  isPromise,
  type Mutation,
  type Page,
  type Read,
  type ReadResult,
  type ScanRange,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { encodeRecord, SweepRounds } from '@unikv/core/adapter'
import { Claims } from './claims.ts'
import { fileError, folderIsGone } from './file-errors.ts'
import type { FileSystem } from './file-system.ts'
import { Files } from './files.ts'
import { Folder } from './folder.ts'
import { removeLeftovers } from './leftovers.ts'
import { Listing } from './listing.ts'
import type { FileSettings } from './options.ts'
import type { Processes } from './owner.ts'
import { type Change, Records } from './records.ts'
import { Slots, Turns } from './slots.ts'
import { run, type Steps, step, together } from './steps.ts'

/** A dataset in a folder, over any file system. Answers at once if the file system does. */
export class FileDataset {
  readonly folder: Folder
  readonly #files: Files
  readonly #processes: Processes
  readonly #records: Records
  readonly #slots: Slots
  readonly #turns = new Turns()
  readonly #create: boolean
  #isThere = false
  #finding: Awaitable<boolean> | undefined
  #claims: Claims | undefined
  #opening: Awaitable<Claims> | undefined
  #cleaning: Awaitable<void> | undefined
  #sweeping: Promise<void> | undefined
  readonly #rounds = new SweepRounds()
  #isClosed = false

  constructor(settings: FileSettings, system: FileSystem, processes: Processes) {
    this.#files = new Files(system, settings.durability === 'flushed')
    this.#processes = processes
    this.folder = new Folder(this.#files, settings.directory, settings.dataset)
    this.#records = new Records(this.#files, this.folder, settings.clock)
    this.#slots = new Slots(settings.maxInFlight)
    this.#create = settings.create
  }

  read(reads: readonly Read[]): Awaitable<readonly ReadResult<Bytes>[]> {
    return run(this.#read(reads))
  }

  write(mutations: readonly Mutation<Bytes>[], options: CallOptions): Awaitable<readonly WriteResult[]> {
    return run(this.#write(mutations.map((mutation) => ({ mutation, record: recordOf(mutation), options }))))
  }

  async *pages(range: ScanRange): AsyncGenerator<Page<Bytes>> {
    const listing = new Listing(this.#files, this.folder, range)
    while (true) {
      const page = await run(this.#page(listing))
      yield page
      if (page.resume === undefined) return
    }
  }

  *pagesNow(range: ScanRange): Generator<Page<Bytes>> {
    const listing = new Listing(this.#files, this.folder, range)
    while (true) {
      const page = run(this.#page(listing)) as Page<Bytes>
      yield page
      if (page.resume === undefined) return
    }
  }

  /** Wait for what is under way and leave no trace of this writer. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await andSettled(this.#opening)
    await this.#slots.idle()
    await this.#cleaning
    await this.#sweeping
    if (this.#claims !== undefined) await run(this.#claims.withdraw())
  }

  *#read(reads: readonly Read[]): Steps<readonly ReadResult<Bytes>[]> {
    if (!(yield* this.#found())) return reads.map(() => undefined)
    const results = yield* this.#spread(reads, (read) => this.#readOne(read))
    // Files that are absent because all is gone are no misses.
    if (results.every((result) => result === undefined) && !(yield* this.#stillThere())) throw folderIsGone()
    return results
  }

  *#write(changes: readonly Change[]): Steps<readonly WriteResult[]> {
    const claims = yield* this.#opened()
    if (this.#rounds.isDue(changes.map(({ mutation }) => mutation))) this.#sweep()
    const answers = changes.map((change) =>
      this.#turns.run(change.mutation.key, () => this.#slots.run(() => run(this.#changeOne(change, claims)))),
    )
    return yield* together(answers)
  }

  *#page(listing: Listing): Steps<Page<Bytes>> {
    try {
      if (!(yield* this.#found())) return { entries: [] }
      return yield* listing.page(
        (read) => this.#readOne(read),
        (items, work) => this.#spread(items, work),
      )
    } catch (error) {
      throw fileError(error)
    }
  }

  *#readOne(read: Read): Steps<ReadResult<Bytes>> {
    try {
      return yield* this.#records.read(read, this.#claims)
    } catch (error) {
      return fileError(error)
    }
  }

  *#changeOne(change: Change, claims: Claims): Steps<WriteResult> {
    try {
      return yield* this.#records.change(change, claims)
    } catch (error) {
      const failure = fileError(error)
      if (failure.code === 'STORE_FULL') this.#sweep()
      return failure
    }
  }

  *#spread<T, R>(items: readonly T[], work: (item: T) => Steps<R>): Steps<R[]> {
    return yield* together(items.map((item) => this.#slots.run(() => run(work(item)))))
  }

  /** Whether there is a dataset to read. */
  *#found(): Steps<boolean> {
    this.#checkOpen()
    if (this.#isThere) return true
    try {
      this.#finding ??= run(this.folder.isThere())
      if (yield* step(this.#finding)) this.#isThere = true
    } catch (error) {
      throw fileError(error)
    } finally {
      this.#finding = undefined
    }
    if (!this.#isThere && !this.#create) throw notPrepared()
    return this.#isThere
  }

  *#stillThere(): Steps<boolean> {
    try {
      return (yield* this.#files.look(this.folder.path)) !== undefined
    } catch (error) {
      throw fileError(error)
    }
  }

  /** The claims of this writer, once the dataset is ready to be written. */
  *#opened(): Steps<Claims> {
    this.#checkOpen()
    if (this.#claims !== undefined) return this.#claims
    try {
      this.#opening ??= run(this.#open())
      return yield* step(this.#opening)
    } catch (error) {
      this.#opening = undefined
      throw fileError(error)
    }
  }

  *#open(): Steps<Claims> {
    const claims = new Claims(this.#files, this.#processes, this.folder.locks)
    if (!this.#create && !(yield* this.folder.isThere())) throw notPrepared()
    yield* this.folder.make(claims.identity)
    yield* claims.announce()
    this.#claims = claims
    this.#isThere = true
    this.#clean(claims)
    return claims
  }

  /** Beside the first writes where that is possible. What fails is left to the next writer. */
  #clean(claims: Claims): void {
    try {
      const cleaning = run(removeLeftovers(this.#files, this.folder, claims))
      if (isPromise(cleaning)) this.#cleaning = cleaning.catch(() => {})
    } catch {
      // As above: nothing depends on it.
    }
  }

  /** Look at the next records, beside the writes where that is possible: reading an expired one removes it. */
  #sweep(): void {
    if (this.#sweeping !== undefined) return
    try {
      const listing = new Listing(this.#files, this.folder, this.#rounds.next())
      const page = run(this.#page(listing))
      if (!isPromise(page)) this.#rounds.resume = page.resume
      else this.#sweeping = this.#swept(page)
    } catch {
      // The next round finds the same records.
    }
  }

  async #swept(page: Promise<Page<Bytes>>): Promise<void> {
    try {
      this.#rounds.resume = (await page).resume
    } catch {
      // As above.
    } finally {
      this.#sweeping = undefined
    }
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new StoreError('CLOSED', 'This store is closed. Open a new one.')
  }
}

/** How an opening ends concerns whoever asked for it. */
async function andSettled(opening: Awaitable<unknown>): Promise<void> {
  try {
    await opening
  } catch {
    // Nothing was opened.
  }
}

function recordOf(mutation: Mutation<Bytes>): Buffer | undefined {
  if (mutation.type !== 'set') return undefined
  const expiresAt = mutation.expiresAt === 'keep' ? undefined : mutation.expiresAt
  return encodeRecord(mutation.value, mutation.version, expiresAt)
}

function notPrepared(): StoreError {
  return new StoreError('NOT_PREPARED', 'There is no such dataset. Leave out create: false to have it made.')
}
