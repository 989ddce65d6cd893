import { statSync } from 'node:fs'
import { StoreError } from '@unikv/core'
import { makeFolder } from '@unikv/core/adapter'

/**
 * Make a folder for files that are written next, if it is not there. Not by `recursive` of `mkdir`, which never ends where a
 * folder takes no others, such as /proc.
 *
 * @param files such as `documents`, for the message
 * @throws {StoreError} `INVALID_ARGUMENT` if it cannot be made, or is not a folder
 */
export function makeOutputFolder(folder: string, files: string): void {
  const problem = problemOf(folder)
  if (problem === undefined) return
  const { code } = problem
  throw new StoreError('INVALID_ARGUMENT', `${folder} cannot be used for the ${files} (${code}).`, {
    cause: problem,
  })
}

function problemOf(folder: string): NodeJS.ErrnoException | undefined {
  try {
    makeFolder(folder)
    if (statSync(folder).isDirectory()) return undefined
    return Object.assign(new Error(`${folder} is not a folder.`), { code: 'ENOTDIR' })
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

/** The error for a file that cannot be written. A full disk is not a wrong argument. */
export function unwritable(file: string, cause: NodeJS.ErrnoException): StoreError {
  const code = cause.code === 'ENOSPC' || cause.code === 'EDQUOT' ? 'STORE_FULL' : 'INVALID_ARGUMENT'
  return new StoreError(code, `The file ${file} cannot be written (${cause.code}).`, { cause })
}
