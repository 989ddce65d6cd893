import { resolve } from 'node:path'
import {
  checkDatasetName,
  checkFactoryOptions,
  checkMs,
  checkPositive,
  type DeclaredIndex,
  declaredIndexes,
  invalidConfig,
  type OptionNames,
  ownNumbers,
} from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import { type FileIdentity, noFileYet } from './file/file-identity.ts'
import { isPlain } from './find/fields.ts'

/** Settings of the SQLite store. */
export interface SqliteOptions {
  /** The file, made with its folder by the first call. */
  readonly path: string
  /** The table: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  readonly table?: string | undefined
  /**
   * Worker threads: the first writes, the others read (one alone does both). `0`: none; the store answers at once in
   * the caller's thread, which waits for the disk. For scripts and for `sync(kv)`, not for servers. @default 2
   */
  readonly threads?: number | undefined
  /** `bytes`: a BLOB; `document`: JSON text, for queries of your own. @default 'bytes' */
  readonly values?: 'bytes' | 'document' | undefined
  /**
   * The failure that an acknowledged write survives. `flushed`: a crash of the machine. `buffered`: a crash of the process alone,
   * many times faster; a crash of the machine loses the last writes and damages nothing. @default 'flushed'
   */
  readonly durability?: 'flushed' | 'buffered' | undefined
  /**
   * Indexes for `find`, each over 1 to 4 paths of documents: fields of equality first, then that of a range or an order. Missing ones are made unless `prepare`
   * is false, and then refused. @default none
   */
  readonly indexes?: readonly (readonly string[])[] | undefined
  /** Make file and table where they are missing; `false`: `NOT_PREPARED` then. @default true */
  readonly prepare?: boolean | undefined
  /**
   * Only read: nothing is made, and writes are `ACCESS_DENIED`. Works on a read-only file system, where the file must be
   * one that nobody writes. @default false
   */
  readonly readOnly?: boolean | undefined
  /** Most bytes of the file, in whole pages. A write that would take more is refused with `STORE_FULL`. @default Infinity */
  readonly maxBytes?: number | undefined
  /** How long a write waits for another process that writes; then it is `OVERLOADED`. @default 2,000 */
  readonly busyTimeoutMs?: number | undefined
  /** Wall clock in milliseconds, for expiry. @default Date.now */
  readonly clock?: (() => number) | undefined
  /** For errors and reports. @default 'sqlite' */
  readonly name?: string | undefined
}

/** What a thread needs to know. Plain data. */
export interface FileSettings {
  readonly path: string
  readonly table: string
  readonly documents: boolean
  readonly indexes: readonly DeclaredIndex[]
  readonly durability: 'flushed' | 'buffered'
  readonly prepare: boolean
  readonly readOnly: boolean
  readonly maxBytes: number
  readonly busyTimeoutMs: number
  /** Shared by the threads. */
  readonly identity: FileIdentity
}

/** The options with their defaults, checked. */
export interface SqliteSettings {
  readonly file: FileSettings
  readonly threads: number
  readonly clock: () => number
  readonly name: string
}

/** More would only wait for each other. */
const maxThreads = 64

const optionNames: OptionNames<SqliteOptions> = {
  path: true,
  table: true,
  threads: true,
  values: true,
  indexes: true,
  durability: true,
  prepare: true,
  readOnly: true,
  maxBytes: true,
  busyTimeoutMs: true,
  clock: true,
  name: true,
}

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(options: SqliteOptions): SqliteSettings {
  checkFactoryOptions('sqlite', options, optionNames)
  const { path, table = 'unikv', threads = 2, values = 'bytes', durability = 'flushed' } = options
  const { prepare = true, maxBytes = Number.POSITIVE_INFINITY, busyTimeoutMs = 2_000 } = options
  const { readOnly = false } = options
  if (typeof readOnly !== 'boolean') throw invalidConfig('readOnly must be true or false.')
  const { name = 'sqlite' } = options
  const clock = ownNumbers('sqlite', 'clock', options.clock, wallClock)
  if (typeof path !== 'string' || path === '' || path.includes('\0') || path === ':memory:')
    throw invalidConfig('path must be the path of a file. For records in memory use memory().')
  // SQLite would take it for one of its URLs.
  if (path.startsWith('file:')) throw invalidConfig('path must be the path of a file, not a URL.')
  checkDatasetName('table', table)
  if (table.startsWith('sqlite_'))
    throw invalidConfig('table must not start with sqlite_, which SQLite reserves.')
  if (!Number.isSafeInteger(threads) || threads < 0 || threads > maxThreads)
    throw invalidConfig(`threads must be a whole number from 0 to ${maxThreads}.`)
  if (values !== 'bytes' && values !== 'document')
    throw invalidConfig("values must be 'bytes' or 'document'.")
  if (durability !== 'flushed' && durability !== 'buffered')
    throw invalidConfig("durability must be 'flushed' or 'buffered'.")
  if (maxBytes !== Number.POSITIVE_INFINITY) checkPositive({ maxBytes })
  checkMs({ busyTimeoutMs }, { most: 2 ** 31 - 1 })
  const documents = values === 'document'
  const file = {
    path: resolve(path),
    table,
    documents,
    indexes: declaredIndexes(options.indexes, { dataset: table, documents, canHave: isPlain }),
    durability,
    prepare: prepare && !readOnly,
    readOnly,
    maxBytes,
    busyTimeoutMs: Math.ceil(busyTimeoutMs),
    identity: noFileYet(),
  }
  return { file, threads, clock, name }
}
