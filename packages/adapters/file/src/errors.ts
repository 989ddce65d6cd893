import { type ErrorCode, isStoreError, StoreError } from '@unikv/core'
import { codeOf } from './disk/file-system.ts'

const meanings: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ['NOT_PREPARED', 'The folder of the dataset, or part of it, does not exist.'],
  ENOTDIR: ['INVALID_CONFIG', 'Part of the path of the dataset is not a folder.'],
  EACCES: ['ACCESS_DENIED', 'This process has no permission for the folder of the dataset.'],
  EPERM: ['ACCESS_DENIED', 'This process has no permission for the folder of the dataset.'],
  EROFS: ['ACCESS_DENIED', 'The file system of the dataset is read-only.'],
  ENOSPC: ['STORE_FULL', 'The disk is full; nothing was changed. Free space, or delete records.'],
  EDQUOT: ['STORE_FULL', 'The disk quota is used up; nothing was changed. Free space, or delete records.'],
  EFBIG: ['VALUE_TOO_LARGE', 'The value is larger than the file system allows.'],
  EMFILE: ['OVERLOADED', 'This process has too many open files. Lower maxInFlight or raise the limit.'],
  ENFILE: ['OVERLOADED', 'The machine has too many open files.'],
  ENAMETOOLONG: ['INVALID_CONFIG', 'The path of the dataset is too long for the file system.'],
  ELOOP: ['CORRUPT', 'Found a symbolic link in place of a record. It is not followed.'],
  ESPIPE: ['CORRUPT', 'Found a pipe in place of a record.'],
  ENXIO: ['CORRUPT', 'Found a socket or a device in place of a record.'],
  EISDIR: ['CORRUPT', 'Found a folder in place of a record.'],
}

/** An error of the file system as a `StoreError`. Nothing was changed by what failed. */
export function fileError(error: unknown): StoreError {
  if (isStoreError(error)) return error
  const [code, message] = meanings[codeOf(error) ?? ''] ?? [
    'UNAVAILABLE',
    'The file system failed; see the cause.',
  ]
  return new StoreError(code, message, { cause: withoutPath(error) })
}

/** The error for a change that is there, but of which it is not known whether it outlives a crash. */
export function notFlushed(error: unknown): StoreError {
  return new StoreError(
    'OUTCOME_UNKNOWN',
    'The change was made but could not be flushed to disk: a crash of the machine may undo it.',
    { cause: withoutPath(error) },
  )
}

/** The error for a dataset that was there when it was opened. */
export function folderIsGone(error?: unknown): StoreError {
  return new StoreError('NOT_PREPARED', 'The folder of the dataset was removed while it was in use.', {
    cause: withoutPath(error),
  })
}

/** The error without the path, which spells out the key. */
function withoutPath(error: unknown): unknown {
  const { code, errno, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  return Object.assign(new Error(`${code}: ${syscall} failed`), { code, errno, syscall })
}
