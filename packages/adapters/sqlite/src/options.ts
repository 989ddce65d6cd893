import { resolve } from 'node:path'
import {
  any,
  checkPositive,
  type DeclaredIndex,
  declaredIndexes,
  flag,
  invalidConfig,
  label,
  ms,
  type OptionsOf,
  oneOf,
  ownClock,
  plainName,
  readOptions,
  whole,
} from '@unikv/core/adapter'
import { type FileIdentity, noFileYet } from './file/file-identity.ts'
import { isPlain } from './find/fields.ts'

/** More would only wait for each other. */
const maxThreads = 64

const table = {
  /** The file, made with its folder by the first call. */
  path: filePath,
  /** The table: the dataset of this store. `[a-z][a-z0-9_]{0,47}`. @default 'unikv' */
  table: tableName,
  /**
   * Worker threads: the first writes, the others read (one alone does both). `0`: none; the store answers at once in
   * the caller's thread, which waits for the disk. For scripts and for `sync(kv)`, not for servers. @default 2
   */
  threads: whole(2, 0, maxThreads),
  /** `bytes`: a BLOB; `document`: JSON text, for queries of your own. @default 'bytes' */
  values: oneOf('bytes', ['bytes', 'document']),
  /**
   * The failure that an acknowledged write survives. `flushed`: a crash of the machine. `buffered`: a crash of the process alone,
   * many times faster; a crash of the machine loses the last writes and damages nothing. @default 'flushed'
   */
  durability: oneOf('flushed', ['flushed', 'buffered']),
  /**
   * Indexes for `find`, each over 1 to 4 paths of documents: fields of equality first, then that of a range or an order. Missing ones are made unless `prepare`
   * is false, and then refused. @default none
   */
  indexes: any<readonly (readonly string[])[]>(),
  /** Make file and table where they are missing; `false`: `NOT_PREPARED` then. @default true */
  prepare: flag(true),
  /**
   * Only read: nothing is made, and writes are `ACCESS_DENIED`. Works on a read-only file system, where no process may
   * write the file and the log beside it must be empty. @default false
   */
  readOnly: flag(false),
  /** Most bytes of the file, in whole pages. A write that would take more is refused with `STORE_FULL`. @default Infinity */
  maxBytes: maxFileBytes,
  /** How long a write waits for another process that writes; then it is `OVERLOADED`. @default 2,000 */
  busyTimeoutMs: ms(2_000, { most: 2 ** 31 - 1 }),
  /** Wall clock in milliseconds, for expiry. @default Date.now */
  clock: ownClock(),
  /** For errors and reports. @default 'sqlite' */
  name: label('sqlite'),
}

/** Settings of the SQLite store. */
export interface SqliteOptions extends OptionsOf<typeof table> {}

/** Settings of a thread. Plain data. */
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

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function settingsOf(options: SqliteOptions): SqliteSettings {
  const { threads, clock, name, values, indexes, ...given } = readOptions('sqlite', table, options)
  const documents = values === 'document'
  const file = {
    ...given,
    documents,
    indexes: declaredIndexes(indexes, { dataset: given.table, documents, canHave: isPlain }),
    prepare: given.prepare && !given.readOnly,
    busyTimeoutMs: Math.ceil(given.busyTimeoutMs),
    identity: noFileYet(),
  }
  return { file, threads, clock, name }
}

function filePath(path: string): string {
  if (typeof path !== 'string' || path === '' || path.includes('\0') || path === ':memory:')
    throw invalidConfig('path must be the path of a file. For records in memory use memory().')
  // SQLite would take it for one of its URLs.
  if (path.startsWith('file:')) throw invalidConfig('path must be the path of a file, not a URL.')
  return resolve(path)
}

function tableName(given: string | undefined, name: string, whose: string): string {
  const table = plainName('unikv')(given, name, whose)
  if (!table.startsWith('sqlite_')) return table
  throw invalidConfig('table must not start with sqlite_, which SQLite reserves.')
}

function maxFileBytes(maxBytes: number | undefined = Number.POSITIVE_INFINITY): number {
  if (maxBytes !== Number.POSITIVE_INFINITY) checkPositive({ maxBytes })
  return maxBytes
}
