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
import { closed, encodeRecord, PartCall, SweepRounds } from '@unikv/core/adapter'
import type { FileSystem } from './disk/file-system.ts'
import { Files } from './disk/files.ts'
import { Folder } from './disk/folder.ts'
import { Slots } from './disk/slots.ts'
import { run, type Steps, step, together } from './disk/steps.ts'
import { fileError } from './errors.ts'
import { Listing } from './listing.ts'
import type { FileSettings } from './options.ts'
import { type Change, Records } from './records.ts'
import { Changes } from './writers/changes.ts'
import { removeLeftovers } from './writers/leftovers.ts'
import type { Processes } from './writers/owner.ts'
import { Writer } from './writers/writer.ts'

/** A dataset in a folder, over any file system. Answers at once if the file system does. */
export class FileDataset {
  readonly folder: Folder
  readonly #files: Files
  readonly #processes: Processes
  readonly #records: Records
  readonly #slots: Slots
  readonly #changes: Changes
  readonly #prepare: boolean
  #isThere = false
  #finding: Awaitable<boolean> | undefined
  #writer: Writer | undefined
  #opening: Awaitable<Writer> | undefined
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
    this.#changes = new Changes(this.#files, this.#records, this.#slots)
    this.#prepare = settings.prepare
  }

  read(reads: readonly Read[]): Awaitable<readonly ReadResult<Bytes>[]> {
    return run(this.#read(reads))
  }

  write(mutations: readonly Mutation<Bytes>[], options: CallOptions): Awaitable<readonly WriteResult[]> {
    return run(this.#write(changesOf(mutations, options)))
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

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Wait for what is under way and leave no trace of this writer. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await andSettled(this.#opening)
    await this.#changes.idle()
    await this.#slots.idle()
    await this.#cleaning
    await this.#sweeping
    if (this.#writer !== undefined) await run(this.#writer.end())
  }

  *#read(reads: readonly Read[]): Steps<readonly ReadResult<Bytes>[]> {
    if (!(yield* this.#found())) return reads.map(() => undefined)
    if (this.#writer?.isDue === true) yield* this.#writer.show()
    const results = yield* this.#spread(reads, (read) => this.#readOne(read))
    // Files that are absent because their folder is gone are not misses.
    const absent = reads.filter((_, i) => results[i] === undefined)
    const folders = new Set(absent.map(({ key }) => this.#records.folderOf(key)))
    for (const folder of folders) yield* this.#checkFolder(folder)
    return results
  }

  *#write(changes: readonly Change[]): Steps<readonly WriteResult[]> {
    const writer = yield* this.#opened()
    if (this.#rounds.isDue(changes.map(({ mutation }) => mutation))) this.#sweep()
    return yield* this.#changes.do(changes, writer, (error) => this.#failed(error))
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
      return yield* this.#records.read(read, this.#writer?.claims)
    } catch (error) {
      return fileError(error)
    }
  }

  #failed(error: unknown): StoreError {
    const failure = fileError(error)
    if (failure.code === 'STORE_FULL') this.#sweep()
    return failure
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
    if (!this.#isThere && !this.#prepare) throw notPrepared()
    return this.#isThere
  }

  *#checkFolder(folder: string): Steps<void> {
    try {
      yield* this.#records.checkFolder(folder)
    } catch (error) {
      throw fileError(error)
    }
  }

  /** The writer, once the dataset is ready to be written. */
  *#opened(): Steps<Writer> {
    this.#checkOpen()
    if (this.#writer !== undefined) {
      if (this.#writer.isDue) yield* this.#writer.show()
      return this.#writer
    }
    try {
      this.#opening ??= run(this.#open())
      return yield* step(this.#opening)
    } catch (error) {
      this.#opening = undefined
      throw fileError(error)
    }
  }

  *#open(): Steps<Writer> {
    if (!this.#prepare && !(yield* this.folder.isThere())) throw notPrepared()
    const writer = new Writer(this.#files, this.#processes, this.folder.locks)
    yield* this.folder.make(writer.identity.text)
    yield* writer.identity.announce()
    this.#writer = writer
    this.#isThere = true
    this.#clean(writer)
    return writer
  }

  /** Beside the first writes where that is possible. Leftovers that cannot be removed are left to the next writer. */
  #clean({ claims }: Writer): void {
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
    if (this.#isClosed) throw closed()
  }
}

/** The result of an opening concerns only its caller. */
async function andSettled(opening: Awaitable<unknown>): Promise<void> {
  try {
    await opening
  } catch {
    // Nothing was opened.
  }
}

/** Each mutation of a batch gets its own part of the call, so that one that was not sent is known not to have taken effect. */
function changesOf(mutations: readonly Mutation<Bytes>[], options: CallOptions): readonly Change[] {
  if (mutations.length === 1)
    return mutations.map((mutation) => ({ mutation, record: recordOf(mutation), options }))
  const parts: PartCall[] = []
  for (const _ of mutations) parts.push(new PartCall(options, 1, parts))
  options.parts = parts
  return mutations.map((mutation, i) => {
    const part = parts[i] as PartCall
    return { mutation, record: recordOf(mutation), options: part, part }
  })
}

function recordOf(mutation: Mutation<Bytes>): Buffer | undefined {
  if (mutation.type !== 'set') return undefined
  const expiresAt = mutation.expiresAt === 'keep' ? undefined : mutation.expiresAt
  return encodeRecord(mutation.value, mutation.version, expiresAt)
}

function notPrepared(): StoreError {
  return new StoreError('NOT_PREPARED', 'There is no such dataset. Leave out prepare: false to create it.')
}
