import fs from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isStoreError } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'

/**
 * See to it that SQLite can open the file, with an error that says more than its own where it could not.
 *
 * @throws {StoreError} `NOT_PREPARED`, `INVALID_CONFIG`, `ACCESS_DENIED`, `STORE_FULL`
 */
export function prepareFile(path: string, create: boolean): void {
  try {
    const stats = fs.statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) {
      if (!create)
        throw new StoreError(
          'NOT_PREPARED',
          'There is no such file. Leave out create: false to have it made.',
        )
      makeFolder(dirname(path))
      fs.closeSync(fs.openSync(path, 'a'))
      flushFolder(dirname(path))
    } else if (!stats.isFile()) {
      throw notAFile()
    }
    const mayUse = fs.constants.R_OK | fs.constants.W_OK
    fs.accessSync(path, mayUse)
    // SQLite makes its log beside the file.
    fs.accessSync(dirname(path), mayUse)
  } catch (error) {
    throw fileError(error)
  }
}

/**
 * The URL by which SQLite opens a file that it only reads. Where it may not write beside the file, it takes the file for
 * one that nobody writes: then it needs no lock and no log.
 *
 * @throws {StoreError} `NOT_PREPARED`, `INVALID_CONFIG`, `ACCESS_DENIED`
 */
export function readOnlyUrl(path: string): string {
  try {
    const stats = fs.statSync(path, { throwIfNoEntry: false })
    if (stats === undefined)
      throw new StoreError('NOT_PREPARED', 'There is no such file, and readOnly makes none.')
    if (!stats.isFile()) throw notAFile()
    fs.accessSync(path, fs.constants.R_OK)
    const url = `${pathToFileURL(path).href}?mode=ro`
    if (mayWrite(dirname(path))) return url
    if ((fs.statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) throw unfinished()
    return `${url}&immutable=1`
  } catch (error) {
    throw fileError(error)
  }
}

function mayWrite(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Without the log some of the last writes would be missing, and nobody would know. */
function unfinished(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'The log beside the file holds writes that are not in the file. Open and close it once where it can be written.',
  )
}

function notAFile(): StoreError {
  return new StoreError('INVALID_CONFIG', 'Where the file should be is something else. Choose another path.')
}

function fileError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (isStoreError(error)) return error
  const cause = { cause: new Error(String(code)) }
  if (
    code === 'ENOTDIR' ||
    code === 'EEXIST' ||
    code === 'ENOENT' ||
    code === 'ENAMETOOLONG' ||
    code === 'ELOOP'
  )
    return new StoreError(
      'INVALID_CONFIG',
      'The path leads through what is no folder, or is too long.',
      cause,
    )
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new StoreError('STORE_FULL', 'The disk is full; the file could not be made.', cause)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new StoreError(
      'ACCESS_DENIED',
      'This process may not read and write the file and its folder.',
      cause,
    )
  return new StoreError('UNAVAILABLE', `The file cannot be opened (${String(code)}).`, {
    ...cause,
    retryable: false,
  })
}

/** Make the folder and those above it, each on the disk before it is built upon. */
function makeFolder(path: string): void {
  if (fs.existsSync(path)) return
  makeFolder(dirname(path))
  try {
    fs.mkdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  flushFolder(dirname(path))
}

/** A file is there after a crash only if its name is on the disk too. */
function flushFolder(path: string): void {
  if (process.platform === 'win32') return
  const descriptor = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}
