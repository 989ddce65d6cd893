import {
  type Bytes,
  type Capabilities,
  type Mutation,
  type Page,
  type Read,
  type ReadResult,
  type ScanRange,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import {
  type EnvironmentOptions,
  type LmdbDatabase,
  lmdbError,
  type Opened,
  openDataset,
  reasonOf,
} from './lmdb-client.ts'
import { readRecord } from './read-record.ts'
import { scanPages } from './scan-pages.ts'
import { writeRecord } from './write-record.ts'

/** Settings of the LMDB store. */
export interface LmdbOptions {
  /** Folder of the data file, made when it is absent; with an extension (`data.mdb`): the file itself. */
  readonly path: string
  /** The named database inside the file: lower-case letters, digits and `_`. @default 'unikv' */
  readonly dataset?: string | undefined
  /**
   * What an acknowledged write survives: `flushed`, a crash of the machine; `buffered`, one of the process, many
   * times faster. @default 'flushed'
   */
  readonly durability?: 'flushed' | 'buffered' | undefined
  /** Write without promises too, each write a commit of its own: for `sync(kv)` and worker threads. @default false */
  readonly sync?: boolean | undefined
  /** Wall clock in milliseconds. @default Date.now */
  readonly clock?: (() => number) | undefined
  /** For errors and reports. @default 'lmdb' */
  readonly name?: string | undefined
}

/** What the LMDB store declares, for its options. */
export interface LmdbCapabilities<O extends LmdbOptions = LmdbOptions> extends Capabilities {
  readonly scan: { readonly order: 'bytes'; readonly delivery: 'once'; readonly prefix: 'indexed' }
  readonly conditionalWrite: true
  readonly conditionalRead: true
  readonly ttl: { readonly kind: 'lazy'; readonly precisionMs: 1 }
  readonly touch: true
  readonly increment: true
  readonly durability: O extends { readonly durability: infer D extends 'flushed' | 'buffered' }
    ? D
    : 'flushed'
  readonly evicts: false
  readonly sealed: false
  readonly documents: false
  readonly sync: O extends { readonly sync: true } ? 'all' : 'reads'
}

/** A store in an LMDB file. `native` is the dataset's database of lmdb-js; reading it opens the file. */
export type LmdbStore<O extends LmdbOptions = LmdbOptions> = Store<Bytes, LmdbCapabilities<O>, LmdbDatabase>

/**
 * Records in a file of this machine, by LMDB: reads answer without a promise, a write of many records is one
 * transaction, keys are in byte order. The file is opened by the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG` for wrong options
 */
export function lmdb<const O extends LmdbOptions>(options: O): LmdbStore<O> {
  return new LmdbDataset(options) as unknown as LmdbStore<O>
}

class LmdbDataset implements Store<Bytes, Capabilities, LmdbDatabase> {
  readonly name: string
  readonly capabilities: Capabilities
  readonly #environment: EnvironmentOptions
  readonly #clock: () => number
  readonly #sync: boolean
  #opened: Opened | undefined
  #closed = false
  #isFresh = false

  constructor(options: LmdbOptions) {
    const {
      path,
      dataset = 'unikv',
      durability = 'flushed',
      clock = Date.now,
      name = 'lmdb',
      sync = false,
    } = options
    this.#environment = { path, dataset, durability }
    checkEnvironment(this.#environment)
    this.name = name
    this.#clock = clock
    this.#sync = sync
    this.capabilities = capabilitiesOf(durability, sync)
  }

  get native(): LmdbDatabase {
    return this.#open().database
  }

  read(reads: readonly Read[]): readonly ReadResult<Bytes>[] {
    const { database } = this.#open()
    this.#refresh(database)
    const now = this.#clock()
    return reads.map((read) => {
      const found = readRecord(database, read, now)
      if (found === 'expired') this.#reap(read.key)
      return found === 'expired' ? undefined : found
    })
  }

  write(mutations: readonly Mutation<Bytes>[]): Promise<readonly WriteResult[]> | readonly WriteResult[] {
    const { database } = this.#open()
    const now = this.#clock()
    const apply = (): readonly WriteResult[] =>
      mutations.map((mutation) => writeRecord(database, mutation, now))
    if (!this.#sync) return this.#transaction(apply)
    try {
      return database.transactionSync(apply)
    } catch (error) {
      throw lmdbError(error)
    }
  }

  scan(range: ScanRange): Iterable<Page<Bytes>> {
    const look = (): LmdbDatabase => {
      const { database } = this.#open()
      this.#refresh(database)
      return database
    }
    return { [Symbol.iterator]: () => scanPages(look, range, this.#clock) }
  }

  async close(): Promise<void> {
    this.#closed = true
    const opened = this.#opened
    this.#opened = undefined
    await opened?.root.close()
  }

  /** Resolves after the commit, which under `flushed` comes after the flush. */
  async #transaction(apply: () => readonly WriteResult[]): Promise<readonly WriteResult[]> {
    try {
      return await this.native.transaction(apply)
    } catch (error) {
      throw lmdbError(await reasonOf(error))
    }
  }

  /**
   * lmdb-js reads all of a turn from one snapshot. Here a snapshot lasts no longer than the code that runs without
   * a break, so that a read sees what another process or thread had acknowledged before it.
   */
  #refresh(database: LmdbDatabase): void {
    if (this.#isFresh) return
    database.resetReadTxn()
    this.#isFresh = true
    queueMicrotask(() => {
      this.#isFresh = false
    })
  }

  /** Remove a record that a read found expired, unless somebody wrote it anew. Nobody waits for it. */
  #reap(key: string): void {
    const now = this.#clock()
    const bytes = Buffer.from(key)
    this.native
      .transaction(() => {
        if (readRecord(this.native, { key, head: true }, now) === 'expired') void this.native.remove(bytes)
      })
      .catch(reasonOf)
  }

  #open(): Opened {
    if (this.#closed) throw new StoreError('CLOSED', 'This LMDB store is closed. Open a new one.')
    this.#opened ??= openDataset(this.#environment)
    return this.#opened
  }
}

function checkEnvironment({ path, dataset, durability }: EnvironmentOptions): void {
  if (typeof path !== 'string' || path === '')
    throw new StoreError('INVALID_CONFIG', 'lmdb needs a path: the folder of its data file.')
  if (!/^[a-z][a-z0-9_]{0,47}$/.test(dataset)) {
    throw new StoreError(
      'INVALID_CONFIG',
      'dataset must be 1 to 48 lower-case letters, digits or _, a letter first.',
    )
  }
  if (durability !== 'flushed' && durability !== 'buffered') {
    throw new StoreError('INVALID_CONFIG', "durability must be 'flushed' or 'buffered'.")
  }
}

function capabilitiesOf(durability: 'flushed' | 'buffered', sync: boolean): Capabilities {
  return {
    scan: { order: 'bytes', delivery: 'once', prefix: 'indexed' },
    conditionalWrite: true,
    conditionalRead: true,
    ttl: { kind: 'lazy', precisionMs: 1 },
    touch: true,
    increment: true,
    // lmdb-js merges the writes of one turn into one commit by itself.
    batch: { atomicity: 'all', maxItems: 100_000, maxBytes: 268_435_456, coalesce: false },
    maxKeyBytes: 1978,
    maxValueBytes: 1_073_741_824,
    durability,
    isolation: 'linearizable',
    consistency: ['strong'],
    evicts: false,
    sealed: false,
    documents: false,
    sync: sync ? 'all' : 'reads',
  }
}
