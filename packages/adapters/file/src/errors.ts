import { isStoreError, StoreError } from '@unikv/core'
import { errorTable, type Meaning, told } from '@unikv/core/adapter'
import { codeOf } from './disk/file-system.ts'

/** Keyed by the code of the operating system. */
const meanings = errorTable<string>(
  {
    of: ['ENOENT'],
    code: 'NOT_PREPARED',
    message: 'The folder of the dataset, or part of it, does not exist.',
  },
  {
    of: ['ENOTDIR'],
    code: 'INVALID_CONFIG',
    message: 'Part of the path of the dataset is not a folder.',
  },
  {
    of: ['EACCES', 'EPERM'],
    code: 'ACCESS_DENIED',
    message: 'This process has no permission for the folder of the dataset.',
  },
  { of: ['EROFS'], code: 'ACCESS_DENIED', message: 'The file system of the dataset is read-only.' },
  {
    of: ['ENOSPC'],
    code: 'STORE_FULL',
    message: 'The disk is full; nothing was changed. Free space, or delete records.',
  },
  {
    of: ['EDQUOT'],
    code: 'STORE_FULL',
    message: 'The disk quota is used up; nothing was changed. Free space, or delete records.',
  },
  {
    of: ['EFBIG'],
    code: 'VALUE_TOO_LARGE',
    message: 'The value is larger than the file system allows.',
  },
  {
    of: ['EMFILE'],
    code: 'OVERLOADED',
    message: 'This process has too many open files. Lower maxInFlight or raise the limit.',
  },
  { of: ['ENFILE'], code: 'OVERLOADED', message: 'The machine has too many open files.' },
  {
    of: ['ENAMETOOLONG'],
    code: 'INVALID_CONFIG',
    message: 'The path of the dataset is too long for the file system.',
  },
  {
    of: ['ELOOP'],
    code: 'CORRUPT',
    message: 'Found a symbolic link in place of a record. It is not followed.',
  },
  { of: ['ESPIPE'], code: 'CORRUPT', message: 'Found a pipe in place of a record.' },
  { of: ['ENXIO'], code: 'CORRUPT', message: 'Found a socket or a device in place of a record.' },
  { of: ['EISDIR'], code: 'CORRUPT', message: 'Found a folder in place of a record.' },
)

const failure: Meaning = { code: 'UNAVAILABLE', message: 'The file system failed{place}; see the cause.' }

/** An error of the file system as a `StoreError`. Nothing was changed by what failed. */
export function fileError(error: unknown): StoreError {
  if (isStoreError(error)) return error
  const code = codeOf(error)
  const place = code === undefined ? '' : ` (${code})`
  return told(meanings.get(code ?? '') ?? failure, withoutPath(error), { where: '', isWrite: false, place })
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
