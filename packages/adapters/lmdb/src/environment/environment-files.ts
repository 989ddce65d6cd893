import fs from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { StoreError } from '@unikv/core'
import { flushFolder, makeFolder } from '@unikv/core/adapter'
import { lmdbError } from '../errors.ts'
import { checkDataFile } from './data-file.ts'
import { isFull } from './room.ts'

/** Where an environment is. */
export interface EnvironmentFiles {
  readonly folder: string
  readonly data: string
  readonly lock: string
  /** The path that was given is the folder. */
  readonly isFolder: boolean
}

/** The files of a path: a folder, or with an extension the data file itself. */
export function filesOf(path: string): EnvironmentFiles {
  const isFolder = extname(path) === ''
  const folder = realPath(isFolder ? path : dirname(path))
  if (isFolder) return { folder, data: join(folder, 'data.mdb'), lock: join(folder, 'lock.mdb'), isFolder }
  // The lock stands beside the file that a link leads to: two locks of one file would lock nothing.
  const data = realPath(join(folder, basename(path)))
  return { folder: dirname(data), data, lock: `${data}-lock`, isFolder }
}

/**
 * See to it that LMDB can open an environment: where it cannot, it may end the process. `false`: there is none,
 * and none should be made.
 */
export function prepareFiles(
  { folder, data, lock }: EnvironmentFiles,
  create: boolean,
  readOnly: boolean,
): boolean {
  // Some versions of Node.js take what is behind a file for absent.
  if (fs.existsSync(folder) && !fs.statSync(folder).isDirectory()) throw noFolder(folder)
  const isThere = isFile(data)
  if (!isThere) {
    if (!create) return false
    makeFolder(folder)
    if (isFull(folder))
      throw new StoreError('STORE_FULL', 'The disk is full; the file could not be created. Free space.')
  }
  const mayUse = readOnly ? fs.constants.R_OK : fs.constants.R_OK | fs.constants.W_OK
  fs.accessSync(folder, mayUse)
  for (const file of [data, lock]) if (isFile(file)) fs.accessSync(file, mayUse)
  if (isThere) checkDataFile(data)
  else {
    fs.closeSync(fs.openSync(data, 'a'))
    flushFolder(folder)
  }
  return true
}

/** Whether other processes may write the environment, as far as this one can tell. */
export function isWritable({ folder }: EnvironmentFiles): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Why an environment could not be opened. Errors of `node:fs` have their number under another name. */
export function fileError(error: unknown, folder: string): StoreError {
  const { code, errno } = (error ?? {}) as NodeJS.ErrnoException
  if (typeof code !== 'string' || errno === undefined) return lmdbError(error, folder)
  if (code === 'ENOTDIR' || code === 'EEXIST' || code === 'ENOENT') return noFolder(folder, error)
  return lmdbError(Object.assign(new Error(code), { code: Math.abs(errno), cause: error }), folder)
}

function noFolder(folder: string, cause?: unknown): StoreError {
  return new StoreError('INVALID_CONFIG', `The path ${folder}, or a part of it, is not a folder.`, { cause })
}

function isFile(path: string): boolean {
  const stats = fs.statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isFile()) return stats !== undefined
  throw new StoreError(
    'INVALID_CONFIG',
    'An LMDB file cannot be opened: its path is not a regular file. Choose another path.',
  )
}

/** One environment has one path, also over symbolic links. */
function realPath(path: string): string {
  try {
    return fs.realpathSync(path)
  } catch {
    return path
  }
}
