import { StoreError } from '@unikv/core'
import { type EnvironmentFiles, fileError, filesOf, prepareFiles } from './environment-files.ts'
import {
  type LmdbDatabase,
  type LmdbModule,
  type LmdbReadTransaction,
  type LmdbRoot,
  loadLmdb,
} from './lmdb-client.ts'
import { lmdbError } from './lmdb-errors.ts'
import { awaitOpenings, openAlone } from './openings.ts'

/** Datasets that one environment may have open. */
const maxDatasets = 64
const readOnly = 0x20000
const databaseOptions = { keyEncoding: 'binary', encoding: 'binary' } as const

/** Environments of this thread by path: LMDB must not open one twice in a process. */
const environments = new Map<string, Environment>()

/** How an environment is opened. */
export interface EnvironmentOptions {
  readonly path: string
  readonly durability: 'flushed' | 'buffered'
}

/** An open environment, shared by all stores of this thread that have its path. */
export class Environment {
  readonly #files: EnvironmentFiles
  readonly #durability: 'flushed' | 'buffered'
  readonly #module: LmdbModule
  readonly #root: LmdbRoot
  #reader: LmdbReadTransaction | undefined
  #holders = 1
  readonly #underWay = new Set<Promise<void>>()

  /** The environment of a path. `undefined`: there is none, and none is to be made. */
  static open(options: EnvironmentOptions, create: boolean): Environment | undefined {
    const files = filesOf(options.path)
    const present = environments.get(files.data)
    if (present !== undefined) return present.#hold(options)
    try {
      if (!prepareFiles(files, create)) return undefined
      const environment = openAlone(files.data, () => new Environment(files, options.durability))
      environments.set(files.data, environment)
      return environment
    } catch (error) {
      throw fileError(error, files.folder)
    }
  }

  private constructor(files: EnvironmentFiles, durability: 'flushed' | 'buffered') {
    this.#files = files
    this.#durability = durability
    this.#module = loadLmdb()
    this.#root = this.#module.open({
      path: files.isFolder ? files.folder : files.data,
      noSubdir: !files.isFolder,
      maxDbs: maxDatasets,
      noSync: durability === 'buffered',
      // A commit is acknowledged when it is on the disk, not while that is still under way; and after a commit
      // that failed, the overlapping kind cannot be closed.
      overlappingSync: false,
      // With it a commit that fails rejects a promise that nobody has, which ends the process.
      eventTurnBatching: false,
    })
  }

  /** Folder of the data file. */
  get folder(): string {
    return this.#files.folder
  }

  /** A database of the environment. `undefined`: there is none, and none is to be made. */
  database(name: string, create: boolean): LmdbDatabase | undefined {
    try {
      const database = this.#root.openDB(name, { ...databaseOptions, create })
      if (database !== undefined && this.#reader === undefined) this.#makeReader(database)
      return database
    } catch (error) {
      throw lmdbError(error, this.folder)
    }
  }

  /**
   * Read in the newest snapshot (which a range must take with `renew`). lmdb-js itself keeps one for the rest of the turn, in which what another process
   * wrote and acknowledged meanwhile is not there.
   */
  fresh<T>(read: (transaction: LmdbReadTransaction) => T): T {
    const reader = this.#reader as LmdbReadTransaction
    try {
      return read(reader)
    } catch (error) {
      throw lmdbError(error, this.folder)
    } finally {
      // An idle reader would keep the pages of its snapshot from being used again.
      this.#module.nativeAddon.resetTxn(reader.address)
    }
  }

  /** Inside a write transaction: let other processes that are about to open the environment do so before it ends. */
  awaitOpenings(): void {
    awaitOpenings(this.#files.data)
  }

  /** Have `close` wait for a write. */
  track(write: Promise<unknown>): void {
    const ended: Promise<void> = write.then(nothing, nothing).then(() => void this.#underWay.delete(ended))
    this.#underWay.add(ended)
  }

  /** Let go of the environment; the last holder closes it. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay)
    if (--this.#holders > 0) return
    environments.delete(this.#files.data)
    this.#reader?.abort()
    await this.#root.close()
  }

  #hold({ durability }: EnvironmentOptions): this {
    if (durability !== this.#durability)
      throw new StoreError(
        'INVALID_CONFIG',
        'This path is open with another durability. Give all its stores one.',
      )
    this.#holders++
    return this
  }

  #makeReader(database: LmdbDatabase): void {
    this.#reader = new this.#module.nativeAddon.Txn(database.env, readOnly)
    this.#module.nativeAddon.resetTxn(this.#reader.address)
    // From here on lmdb-js has a reader of its own, and leaves ours alone.
    database.useReadTransaction().done()
  }
}

function nothing(): void {}
