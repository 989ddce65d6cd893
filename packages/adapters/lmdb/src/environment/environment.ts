import { StoreError } from '@unikv/core'
import {
  type LmdbDatabase,
  type LmdbModule,
  type LmdbReadTransaction,
  type LmdbRoot,
  type LmdbSnapshot,
  loadLmdb,
} from '../client/lmdb-client.ts'
import { tellByErrorsAlone } from '../client/quiet.ts'
import { causeOf, isInvalidArgument } from '../errors.ts'
import { InPlace } from '../in-place.ts'
import { writeKey } from '../keys.ts'
import { type EnvironmentFiles, fileError, filesOf, isWritable, prepareFiles } from './environment-files.ts'
import { openAlone } from './openings.ts'
import { Room } from './room.ts'
import { sizeOf } from './size.ts'
import { Writing } from './writing.ts'

/** Datasets that a process may ever have had open in one environment while it is open: they cost 60 bytes a transaction. */
const maxDatasets = 256
/** Threads of all processes that read one environment, two places each. LMDB itself takes 126, which a large machine exceeds. */
const maxReaders = 2_046
const readOnlyFlag = 0x20000
const noSyncFlag = 0x10000
const databaseOptions = { keyEncoding: 'binary', encoding: 'binary' } as const

/** Environments of this thread by path: LMDB must not open one twice in a process. */
const environments = new Map<string, Environment>()

/** How an environment is opened. */
export interface EnvironmentOptions {
  readonly path: string
  readonly durability: 'flushed' | 'buffered'
  readonly readOnly: boolean
}

/** An open environment, shared by all stores of this thread that have its path. */
export class Environment {
  readonly #files: EnvironmentFiles
  readonly #durability: 'flushed' | 'buffered'
  readonly #isReadOnly: boolean
  readonly #module: LmdbModule
  readonly #root: LmdbRoot
  #reader: LmdbReadTransaction | undefined
  #snapshot: LmdbSnapshot | undefined
  #holders = 1
  readonly #writing: Writing
  readonly #inPlace: InPlace
  readonly #room: Room
  readonly #databases = new Map<string, LmdbDatabase>()
  readonly #underWay = new Set<Promise<void>>()

  /** The environment of a path. `undefined`: there is none, and none should be made. */
  static open(options: EnvironmentOptions, create: boolean): Environment | undefined {
    const files = filesOf(options.path)
    const present = environments.get(files.data)
    if (present !== undefined) return present.#hold(options)
    try {
      if (!prepareFiles(files, create, options.readOnly)) return undefined
      const open = (): Environment => new Environment(files, options)
      // Where no process can announce that it opens, no process can write.
      const environment = options.readOnly && !isWritable(files) ? open() : openAlone(files.data, open)
      environments.set(files.data, environment)
      return environment
    } catch (error) {
      throw fileError(error, files.folder)
    }
  }

  private constructor(files: EnvironmentFiles, { durability, readOnly }: EnvironmentOptions) {
    this.#files = files
    this.#isReadOnly = readOnly
    this.#durability = durability
    this.#writing = new Writing(files.data)
    this.#module = loadLmdb()
    this.#root = this.#open({ path: files.data, durability, readOnly })
    this.#checkProcess({ path: files.data, durability, readOnly })
    tellByErrorsAlone(this.#root.env)
    this.#inPlace = new InPlace([files.data, files.lock])
    this.#room = new Room(files.folder, () => this.#unusedBytes())
  }

  /** Folder of the data file. */
  get folder(): string {
    return this.#files.folder
  }

  /** A database of the environment. `undefined`: there is none, and none should be made. */
  database(name: string, create: boolean): LmdbDatabase | undefined {
    const open = (): LmdbDatabase | undefined => {
      const database = this.#root.openDB(name, { ...databaseOptions, create })
      if (database === undefined) return undefined
      database.writeKey = writeKey
      if (this.#reader === undefined) this.#makeReader(database)
      return database
    }
    // To open one is a transaction too.
    return this.#isReadOnly ? open() : this.writeNow(open)
  }

  /**
   * The snapshot for reads: the newest as of the first read after `letGo` (which a range must take with `renew`). lmdb-js
   * itself keeps one for the rest of the turn, in which what another process wrote and acknowledged meanwhile is not there.
   */
  get snapshot(): LmdbSnapshot {
    return this.#snapshot as LmdbSnapshot
  }

  /** Let go of the snapshot: an idle reader would keep its pages from being used again. */
  letGo(): void {
    this.#module.nativeAddon.resetTxn((this.#reader as LmdbReadTransaction).address)
  }

  /** Before so many bytes are written. @throws {StoreError} `STORE_FULL` */
  takeRoom(bytes: number): void {
    this.#room.take(bytes)
  }

  /**
   * Begin to write: at once, or when the promise resolves, as another process opens the environment now. `now` is of
   * `performance.now()`.
   */
  begin(now: number): Promise<void> | undefined {
    try {
      this.#inPlace.checkThisTurn()
      return this.#writing.begin(now)
    } catch (error) {
      throw fileError(error, this.folder)
    }
  }

  /** So many writes have ended. */
  end(writes = 1): void {
    this.#writing.end(writes)
  }

  /** Both, around some work. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    try {
      this.#inPlace.checkThisTurn()
      const pass = this.#writing.begin()
      if (pass !== undefined) await pass
      try {
        return await work()
      } finally {
        this.#writing.end()
      }
    } catch (error) {
      throw fileError(await causeOf(error), this.folder)
    }
  }

  /** Inside a write transaction: no process may have opened the environment since the write began. */
  renew(): void {
    this.#writing.renew()
  }

  /** Before what needs no function in its transaction. */
  renewNextTurn(): void {
    this.#writing.renewNextTurn()
  }

  /** Have `close` wait for a write. */
  track(write: Promise<unknown>): void {
    const ended: Promise<void> = write.then(nothing, nothing).then(() => void this.#underWay.delete(ended))
    this.#underWay.add(ended)
  }

  /** The same, at once. */
  writeNow<T>(work: () => T): T {
    try {
      this.#inPlace.check()
      this.#writing.beginNow()
      try {
        return work()
      } finally {
        this.#writing.end()
      }
    } catch (error) {
      throw fileError(error, this.folder)
    }
  }

  /** Let go of the environment; the last holder closes it. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay)
    await this.#writing.drained()
    if (--this.#holders > 0) return
    environments.delete(this.#files.data)
    this.#reader?.abort()
    await this.#root.close()
    this.#writing.close()
  }

  /** Free bytes within the data file, in all its datasets. */
  #unusedBytes(): number {
    try {
      const { lastPageNumber, free, ...main } = this.#root.getStats()
      let used = sizeOf(main) + sizeOf({ ...main, ...free })
      for (const name of this.#root.getKeys()) used += sizeOf(this.#measured(name).getStats())
      return (lastPageNumber + 1) * main.pageSize - used
    } catch {
      // Too many datasets, for example: then none of it counts.
      return 0
    }
  }

  /** Opened once: to open one is a transaction. */
  #measured(name: string): LmdbDatabase {
    const known = this.#databases.get(name)
    if (known !== undefined) return known
    const database = this.#root.openDB(name, { ...databaseOptions, create: false }) as LmdbDatabase
    this.#databases.set(name, database)
    return database
  }

  #hold(options: EnvironmentOptions): this {
    checkShared({ readOnly: this.#isReadOnly, durability: this.#durability }, options)
    this.#holders++
    return this
  }

  #open({ durability, readOnly }: EnvironmentOptions): LmdbRoot {
    const { isFolder, folder, data } = this.#files
    try {
      return this.#module.open({
        path: isFolder ? folder : data,
        noSubdir: !isFolder,
        maxDbs: maxDatasets,
        maxReaders,
        noSync: durability === 'buffered',
        readOnly,
        // A commit is acknowledged when it is on the disk, not while that is still under way; and after a commit
        // that failed, the overlapping kind cannot be closed.
        overlappingSync: false,
        // With it a commit that fails rejects a promise that no code holds, which ends the process.
        eventTurnBatching: false,
      })
    } catch (error) {
      // It has no transaction that writes, as another thread of this process has it open so.
      if (!readOnly && isInvalidArgument(error)) throw openReadOnly(error)
      throw error
    }
  }

  /** All threads of a process share what LMDB opened first: it would neither flush nor write for us as we say. */
  #checkProcess(options: EnvironmentOptions): void {
    const flags = this.#module.nativeAddon.getEnvFlags(this.#root.env.address)
    const durability = (flags & noSyncFlag) === 0 ? 'flushed' : 'buffered'
    try {
      checkShared({ readOnly: (flags & readOnlyFlag) !== 0, durability }, options)
    } catch (error) {
      void this.#root.close()
      throw error
    }
  }

  #makeReader(database: LmdbDatabase): void {
    this.#reader = new this.#module.nativeAddon.Txn(database.env, readOnlyFlag)
    this.#snapshot = { transaction: this.#reader }
    this.letGo()
    // From here on lmdb-js has a reader of its own, and leaves ours alone.
    database.useReadTransaction().done()
  }
}

/** @throws {StoreError} `INVALID_CONFIG` if a store of these options cannot use what is open */
function checkShared(
  open: Omit<EnvironmentOptions, 'path'>,
  { durability, readOnly }: EnvironmentOptions,
): void {
  if (readOnly) return
  if (open.readOnly) throw openReadOnly()
  if (durability !== open.durability)
    throw new StoreError(
      'INVALID_CONFIG',
      'This path is open with another durability. Use the same durability for all its stores.',
    )
}

function openReadOnly(cause?: unknown): StoreError {
  return new StoreError('INVALID_CONFIG', 'This path is open with readOnly. Close that store first.', {
    cause,
  })
}

function nothing(): void {}
