import fs from 'node:fs'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isStoreError } from '@unikv/core'
import { flushFolder, makeFolder, StoreError } from '@unikv/core/adapter'

/**
 * See to it that SQLite can open the file, with an error that says more than its own where it could not. The path of the
 * file itself, behind all links: SQLite makes its log beside that one.
 *
 * @throws {StoreError} `NOT_PREPARED`, `INVALID_CONFIG`, `ACCESS_DENIED`, `STORE_FULL`
 */
export function prepareFile(path: string, create: boolean): string {
  try {
    const stats = fs.statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) {
      if (!create)
        throw new StoreError('NOT_PREPARED', 'There is no such file. Leave out prepare: false to create it.')
      makeFile(behindLinks(path))
    } else if (!stats.isFile()) {
      throw notAFile()
    }
    const file = behindLinks(path)
    const mayUse = fs.constants.R_OK | fs.constants.W_OK
    fs.accessSync(file, mayUse)
    fs.accessSync(dirname(file), mayUse)
    return file
  } catch (error) {
    throw fileError(error)
  }
}

/**
 * The URL by which SQLite opens a file that it only reads. Where it may not write beside the file, it takes the file for
 * one that is never written: then it needs no lock and no log.
 *
 * @throws {StoreError} `NOT_PREPARED`, `INVALID_CONFIG`, `ACCESS_DENIED`
 */
export function readOnlyUrl(path: string): string {
  try {
    const stats = fs.statSync(path, { throwIfNoEntry: false })
    if (stats === undefined)
      throw new StoreError('NOT_PREPARED', 'There is no such file, and readOnly: true does not create it.')
    if (!stats.isFile()) throw notAFile()
    const file = behindLinks(path)
    fs.accessSync(file, fs.constants.R_OK)
    const url = `${pathToFileURL(file).href}?mode=ro`
    if (mayWrite(dirname(file))) return url
    if (hasLog(file)) throw unfinished()
    return `${url}&immutable=1`
  } catch (error) {
    throw fileError(error)
  }
}

/** The path behind all links, also where nothing is. Other files of a database are beside that one, not beside a link. */
export function behindLinks(path: string): string {
  if (fs.existsSync(path)) return fs.realpathSync(path)
  const isLink = fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink ? behindLinks(resolve(fs.realpathSync(dirname(path)), fs.readlinkSync(path))) : path
}

/** Whether the log of the file, which is not a link, holds writes. */
function hasLog(file: string): boolean {
  return (fs.statSync(logOf(file), { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** The log of a file that is not a link. */
export function logOf(file: string): string {
  return `${file}-wal`
}

function mayWrite(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Without the log some of the last writes would be missing, unnoticed. */
function unfinished(): StoreError {
  return new StoreError(
    'INVALID_CONFIG',
    'The log (-wal) holds writes that are not in the file yet. Open and close the file once with write permission.',
  )
}

/** SQLite would remove the log, and with it the last writes of a file that was moved. */
function orphaned(): StoreError {
  return new StoreError(
    'NOT_PREPARED',
    'The file is gone, but its log (-wal) with unsaved writes exists. Restore the file, or remove the log too.',
  )
}

function notAFile(): StoreError {
  return new StoreError('INVALID_CONFIG', 'The path is not a regular file. Choose another path.')
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
    return new StoreError('INVALID_CONFIG', 'The path is too long, or a part of it is not a folder.', cause)
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new StoreError('STORE_FULL', 'The disk is full; the file could not be created. Free space.', cause)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new StoreError(
      'ACCESS_DENIED',
      'This process has no permission to read and write the file and its folder.',
      cause,
    )
  return new StoreError('UNAVAILABLE', `The file cannot be opened (${String(code)}).`, {
    ...cause,
    retryable: false,
  })
}

function makeFile(file: string): void {
  // Another process may have made both meanwhile.
  if (hasLog(file) && !fs.existsSync(file)) throw orphaned()
  makeFolder(dirname(file))
  fs.closeSync(fs.openSync(file, 'a'))
  flushFolder(dirname(file))
}
