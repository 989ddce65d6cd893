import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { isStoreError, StoreError } from '@unikv/core'

/**
 * One dataset: a named database of lmdb-js with byte keys and byte values, as far as most programs need it. The
 * package's own types do not pass without `skipLibCheck`; where those are wanted, cast to its `Database`.
 */
export interface LmdbDatabase {
  /** A copy of the bytes, or `undefined`. */
  getBinary(key: Uint8Array): Buffer | undefined
  /** Bytes that the next read overwrites. */
  getBinaryFast(key: Uint8Array): Buffer | undefined
  put(key: Uint8Array, value: Uint8Array): Promise<boolean>
  remove(key: Uint8Array): Promise<boolean>
  transaction<T>(work: () => T): Promise<T>
  transactionSync<T>(work: () => T): T
  getKeys(range: KeyRange): Iterable<Uint8Array>
  getRange(range: KeyRange): Iterable<{ readonly key: Uint8Array; readonly value: Buffer }>
  getCount(range?: KeyRange): number
  getStats(): unknown
  /** Let the next read see what was committed since the last. */
  resetReadTxn(): void
}

/** Part of the keys, in byte order. */
export interface KeyRange {
  readonly start?: Uint8Array
  /** Exclusive. */
  readonly end?: Uint8Array
  readonly limit?: number
  readonly reverse?: boolean
}

interface Root {
  openDB(options: object): LmdbDatabase
  close(): Promise<void>
}

/** What is open: the environment (one file) and the dataset in it. */
export interface Opened {
  readonly root: Root
  readonly database: LmdbDatabase
}

/** How the environment is opened. */
export interface EnvironmentOptions {
  readonly path: string
  readonly dataset: string
  readonly durability: 'flushed' | 'buffered'
}

/**
 * Load the driver and open the dataset, at once: reads answer without a promise, so the first one must too.
 *
 * @throws {StoreError} whatever `lmdbError` makes of it
 */
export function openDataset({ path, dataset, durability }: EnvironmentOptions): Opened {
  try {
    checkFile(path)
    // By `require`, as `import` would be a promise.
    const driver = createRequire(import.meta.url)('lmdb') as { open(options: object): Root }
    const root = driver.open({
      path,
      ...bytes,
      maxDbs: 128,
      noSync: durability === 'buffered',
      // A commit is acknowledged when it is on the disk, not while that is still under way.
      overlappingSync: false,
      // With it a commit that fails rejects a promise that nobody has, which ends the process.
      eventTurnBatching: false,
    })
    return { root, database: root.openDB({ name: dataset, ...bytes }) }
  } catch (error) {
    throw isStoreError(error) ? error : lmdbError(error)
  }
}

const bytes = { encoding: 'binary', keyEncoding: 'binary' } as const

/**
 * Refuse what is no LMDB file before LMDB maps it: a foreign file can end the process.
 *
 * @throws {StoreError} `CORRUPT`
 */
function checkFile(path: string): void {
  const file = extname(path) === '' ? join(path, 'data.mdb') : path
  if (!existsSync(file) || statSync(file).size === 0) return
  const head = Buffer.alloc(64)
  const descriptor = openSync(file, 'r')
  try {
    if (readSync(descriptor, head) === head.length && head.readUInt32LE(magicOffset) === magic) return
  } finally {
    closeSync(descriptor)
  }
  throw new StoreError(
    'CORRUPT',
    'The path holds a file that is no LMDB file. It was left alone: choose another path.',
  )
}

/** Of the first meta page, behind its header (LMDB 1.0 as lmdb-js builds it, 64 bits). */
const magicOffset = 24
const magic = 0xbeefc0de

/** Why a commit failed: lmdb-js tells it by a promise inside the error. */
export async function reasonOf(error: unknown): Promise<unknown> {
  const { commitError } = error as { readonly commitError?: Promise<unknown> }
  return commitError === undefined ? error : commitError.catch((reason: unknown) => reason)
}

/** LMDB's own codes, and those of the operating system. */
const mapFull = -30_792
const broken = new Set([-30_797, -30_796, -30_794, -30_793])
const noSpace = new Set([28, 122])
const noAccess = new Set([1, 13, 30])

/** A client's error as a `StoreError`. A transaction that fails changes nothing. */
export function lmdbError(cause: unknown): StoreError {
  const { code, message = '' } = cause as { readonly code?: unknown; readonly message?: string }
  if (code === mapFull || noSpace.has(code as number) || /MDB_MAP_FULL|No space left/.test(message)) {
    return new StoreError(
      'STORE_FULL',
      'The LMDB file cannot grow and keeps what it has. Free space on its disk.',
      { cause },
    )
  }
  if (broken.has(code as number) || /MDB_(INVALID|CORRUPTED|VERSION_MISMATCH|PAGE_NOTFOUND)/.test(message)) {
    return new StoreError(
      'CORRUPT',
      'The path does not hold an LMDB file of this version, or it is damaged.',
      { cause },
    )
  }
  if (noAccess.has(code as number) || /EACCES|EPERM|EROFS|Permission denied/.test(message)) {
    return new StoreError(
      'ACCESS_DENIED',
      'The LMDB file may not be opened or written. Check the permissions of its folder.',
      { cause },
    )
  }
  return new StoreError('UNAVAILABLE', 'LMDB failed; nothing was changed. The cause holds its error.', {
    cause,
  })
}
