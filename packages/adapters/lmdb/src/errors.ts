import { type ErrorCode, isStoreError, StoreError } from '@unikv/core'
import { isFull } from './environment/room.ts'

/** Codes of LMDB (negative) and of the operating system (positive). */
const meanings: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  28: ['STORE_FULL', 'The disk is full; nothing was changed. Free space, or delete records.'],
  122: ['STORE_FULL', 'The disk quota is used up; nothing was changed. Free space, or delete records.'],
  [-30792]: ['STORE_FULL', 'The environment is full; nothing was changed.'],
  11: [
    'UNAVAILABLE',
    'A process with the same id in another container has the file open. Let the containers share process ids.',
  ],
  1: ['ACCESS_DENIED', 'This process has no permission for the files of the environment.'],
  13: ['ACCESS_DENIED', 'This process has no permission for the files of the environment.'],
  30: ['ACCESS_DENIED', 'The file system of the environment is read-only.'],
  [-30797]: ['CORRUPT', 'The data file is damaged. Restore it, or choose another path.'],
  [-30796]: ['CORRUPT', 'The data file is damaged. Restore it, or choose another path.'],
  [-30793]: ['CORRUPT', 'The data file is not an LMDB file. Choose another path.'],
  [-30778]: ['CORRUPT', 'The data file is damaged. Restore it, or choose another path.'],
  [-30794]: ['INVALID_CONFIG', 'Another version of LMDB created the environment or has it open.'],
  [-30791]: [
    'INVALID_CONFIG',
    'This process has opened too many datasets of the file. Close all its stores of the file to reset the count.',
  ],
  [-30784]: [
    'INVALID_CONFIG',
    'A database of this name exists and is of another kind. Choose another dataset.',
  ],
  [-30790]: ['OVERLOADED', 'Too many threads or processes have the file open.'],
  [-30788]: ['VALUE_TOO_LARGE', 'The batch is too large for one transaction; nothing was changed.'],
  [-30795]: ['UNAVAILABLE', 'The environment failed. Close this store and open a new one.'],
}

const inputOutputError = 5
const invalidArgument = 22

/** An error of LMDB as a `StoreError`. Nothing was changed by what failed. */
export function lmdbError(error: unknown, folder: string): StoreError {
  if (isStoreError(error)) return error
  const code = (error as { code?: unknown } | undefined)?.code
  // LMDB takes a write that the disk cut short for a failure of the disk.
  const number = code === inputOutputError && isFull(folder) ? 28 : code
  const [meaning, message] = meanings[Number(number)] ?? ['UNAVAILABLE', 'LMDB failed; see the cause.']
  return new StoreError(meaning, message, { cause: error })
}

/** The reason why an asynchronous transaction failed, which comes after the failure itself. */
export async function causeOf(error: unknown): Promise<unknown> {
  const cause = (error as { commitError?: unknown } | undefined)?.commitError
  try {
    await cause
    return error
  } catch (reason) {
    return reason
  }
}

/** Whether LMDB was asked for what it cannot do. */
export function isInvalidArgument(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === invalidArgument
}
