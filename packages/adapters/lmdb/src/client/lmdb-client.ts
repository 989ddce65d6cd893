import { requireFrom, requirePackage } from '@unikv/core/adapter'
import { asScript } from './foreign-globals.ts'
import type { LmdbCommits } from './quiet.ts'

/*
 * The part of the npm package `lmdb` that the store needs. It is loaded on first use, and without a promise, as
 * reads answer without one. The version is pinned: two things below are not in its documentation.
 */

/** The package. */
export interface LmdbModule {
  open(options: LmdbOpenOptions): LmdbRoot
  readonly nativeAddon: {
    /** A read transaction of its own. Undocumented. */
    readonly Txn: new (
      environment: unknown,
      flags: number,
    ) => LmdbReadTransaction
    /** Let go of the snapshot; the next read takes the newest one. Undocumented. */
    resetTxn(address: number): void
    /** How an environment is open, which another thread may have opened first. Undocumented. */
    getEnvFlags(address: number): number
  }
}

/** Settings with which an environment is opened. */
export interface LmdbOpenOptions {
  readonly path: string
  /** `path` is the data file itself, not its folder. */
  readonly noSubdir: boolean
  readonly maxDbs: number
  readonly maxReaders: number
  readonly noSync: boolean
  /** Makes nothing; without a lock file where none can be made. */
  readonly readOnly: boolean
  readonly overlappingSync: boolean
  readonly eventTurnBatching: boolean
}

/** An environment: a data file and a lock file. */
export interface LmdbRoot {
  /** Undocumented. */
  readonly env: LmdbCommits
  openDB(name: string, options: LmdbDatabaseOptions): LmdbDatabase | undefined
  /** Names of the databases. */
  getKeys(): Iterable<string>
  /** Statistics of the file as a whole. */
  getStats(): LmdbFileStats
  close(): Promise<void>
}

/** Settings with which a database is opened. */
export interface LmdbDatabaseOptions {
  readonly keyEncoding: 'binary'
  readonly encoding: 'binary'
  readonly create?: boolean
}

/**
 * A database of the package `lmdb` with bytes as keys and values, as far as most programs need it; text as a key is its
 * UTF-8 bytes. The package's
 * own types do not pass without `skipLibCheck`; where those are wanted, cast to its `Database`.
 */
export interface LmdbDatabase {
  /** A copy of the bytes, or `undefined`. */
  getBinary(key: LmdbKey): Buffer | undefined
  /** Valid until the next read; its `length` is that of the value, not of the memory behind it. */
  getBinaryFast(key: LmdbKey, options?: LmdbSnapshot): Buffer | undefined
  /** Set one record; resolves when it is flushed. Inside a transaction it is done at once. */
  put(key: LmdbKey, value: Buffer): Promise<boolean>
  /** Remove one record, likewise. */
  remove(key: LmdbKey): Promise<boolean>
  /** Do something in one of the next write transactions; resolves when that is flushed. */
  transaction<T>(action: () => T): Promise<T>
  /** The same in a transaction of its own inside of it, which is undone if the action throws. */
  childTransaction<T>(action: () => T): Promise<T>
  /** Do something in a write transaction, and flush it; undone if the action throws. */
  transactionSync<T>(action: () => T): T
  /** Records in byte order of their keys. */
  getRange(range: LmdbRange): Iterable<{ readonly key: Uint8Array; readonly value: Buffer }>
  /** How large it is. */
  getStats(): LmdbStats
  /** The snapshot that the package itself reads in, kept until it is done with. */
  useReadTransaction(): LmdbUsedTransaction
  /** Undocumented. */
  readonly env: unknown
  /** Put a key into memory from `start`; where it ends. Undocumented. */
  writeKey: (key: LmdbKey, target: Buffer, start: number) => number
}

/** A key: bytes, or text, which is its UTF-8 bytes. */
export type LmdbKey = string | Uint8Array

/** The snapshot of a read, if not that of the package itself. */
export interface LmdbSnapshot {
  readonly transaction: LmdbReadTransaction
}

/** A part of a database, by keys. */
export interface LmdbRange {
  /** `undefined`: from the first key on, or with `reverse` from the last. */
  readonly start?: Buffer | undefined
  /** Exclusive. */
  readonly end?: Buffer | undefined
  /** From the last key to the first, so that `start` is the greater of the two. */
  readonly reverse?: boolean
  readonly exclusiveStart?: boolean
  readonly inclusiveEnd?: boolean
  readonly limit?: number
  readonly transaction?: LmdbReadTransaction
}

/** Pages of a database. */
export interface LmdbStats {
  readonly pageSize: number
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

/** Pages of a file. */
export interface LmdbFileStats extends LmdbStats {
  readonly lastPageNumber: number
  /** Statistics of the list of free pages. */
  readonly free: LmdbStats
}

/** A snapshot in use. */
export interface LmdbUsedTransaction {
  /** Let go of it. */
  done(): void
}

/** A read transaction. */
export interface LmdbReadTransaction {
  readonly address: number
  /** Take the newest snapshot. */
  renew(): void
  /** End it. */
  abort(): void
}

/** Load the package. @throws {StoreError} `INVALID_CONFIG` if it cannot be loaded */
export function loadLmdb(): LmdbModule {
  return asScript(
    () => requireFrom(import.meta.url).resolve('lmdb'),
    () => requirePackage('lmdb', import.meta.url),
  )
}
