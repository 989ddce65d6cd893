import { type ErrorCode, isStoreError, StoreError } from '@unikv/core'
import { codeOf } from './disk/file-system.ts'

const meanings: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ['NOT_PREPARED', 'The folder of the dataset, or a part of it, is not there.'],
  ENOTDIR: ['INVALID_CONFIG', 'A part of the path of the dataset is not a folder.'],
  EACCES: ['ACCESS_DENIED', 'This process may not do that in the folder of the dataset.'],
  EPERM: ['ACCESS_DENIED', 'This process may not do that in the folder of the dataset.'],
  EROFS: ['ACCESS_DENIED', 'The file system of the dataset is read-only.'],
  ENOSPC: ['STORE_FULL', 'The disk is full; the record is as it was. Make room, or delete records.'],
  EDQUOT: ['STORE_FULL', 'The disk quota is used up; the record is as it was. Make room, or delete records.'],
  EFBIG: ['VALUE_TOO_LARGE', 'The value is larger than the file system takes.'],
  EMFILE: ['OVERLOADED', 'This process has too many open files. Lower maxInFlight or raise the limit.'],
  ENFILE: ['OVERLOADED', 'The machine has too many open files.'],
  ENAMETOOLONG: ['INVALID_CONFIG', 'The path of the dataset is too long for the file system.'],
  ELOOP: ['CORRUPT', 'A symbolic link is in the place of a record. It is not followed.'],
  ESPIPE: ['CORRUPT', 'A pipe is in the place of a record.'],
  ENXIO: ['CORRUPT', 'A socket or a device is in the place of a record.'],
  EISDIR: ['CORRUPT', 'A folder is in the place of a record.'],
}

/** An error of the file system as a `StoreError`. Nothing was changed by what failed. */
export function fileError(error: unknown): StoreError {
  if (isStoreError(error)) return error
  const [code, message] = meanings[codeOf(error) ?? ''] ?? [
    'UNAVAILABLE',
    'The file system failed. The cause says how.',
  ]
  return new StoreError(code, message, { cause: withoutPath(error) })
}

/** The error for a change that is there, but of which it is not known whether it outlives a crash. */
export function notFlushed(error: unknown): StoreError {
  return new StoreError(
    'OUTCOME_UNKNOWN',
    'The change was made, but could not be forced to the disk: a crash of the machine may undo it.',
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
