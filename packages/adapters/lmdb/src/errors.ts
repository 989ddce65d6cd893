import { isStoreError, type StoreError } from '@unikv/core'
import { errorTable, type Meaning, told } from '@unikv/core/adapter'
import { isFull } from './environment/room.ts'

/** Keyed by the codes of LMDB (negative) and of the operating system (positive). */
const meanings = errorTable<unknown>(
  {
    of: [28],
    code: 'STORE_FULL',
    message: 'The disk is full; nothing was changed. Free space, or delete records.',
  },
  {
    of: [122],
    code: 'STORE_FULL',
    message: 'The disk quota is used up; nothing was changed. Free space, or delete records.',
  },
  { of: [-30792], code: 'STORE_FULL', message: 'The environment is full; nothing was changed.' },
  {
    of: [11],
    code: 'UNAVAILABLE',
    message:
      'A process with the same id in another container has the file open. Let the containers share process ids.',
  },
  {
    of: [1, 13],
    code: 'ACCESS_DENIED',
    message: 'This process has no permission for the files of the environment.',
  },
  { of: [30], code: 'ACCESS_DENIED', message: 'The file system of the environment is read-only.' },
  {
    of: [-30797, -30796, -30778],
    code: 'CORRUPT',
    message: 'The data file is damaged. Restore it, or choose another path.',
  },
  { of: [-30793], code: 'CORRUPT', message: 'The data file is not an LMDB file. Choose another path.' },
  {
    of: [-30794],
    code: 'INVALID_CONFIG',
    message: 'Another version of LMDB created the environment or has it open.',
  },
  {
    of: [-30791],
    code: 'INVALID_CONFIG',
    message:
      'This process has opened too many datasets of the file. Close all its stores of the file to reset the count.',
  },
  {
    of: [-30784],
    code: 'INVALID_CONFIG',
    message: 'A database of this name exists and is of another kind. Choose another dataset.',
  },
  { of: [-30790], code: 'OVERLOADED', message: 'Too many threads or processes have the file open.' },
  {
    of: [-30788],
    code: 'VALUE_TOO_LARGE',
    message: 'The batch is too large for one transaction; nothing was changed.',
  },
  {
    of: [-30795],
    code: 'UNAVAILABLE',
    message: 'The environment failed. Close this store and open a new one.',
  },
)

const failure: Meaning = { code: 'UNAVAILABLE', message: 'LMDB failed{place}; see the cause.' }
const inputOutputError = 5
const invalidArgument = 22

/** An error of LMDB as a `StoreError`. Nothing was changed by what failed. */
export function lmdbError(error: unknown, folder: string): StoreError {
  if (isStoreError(error)) return error
  const code = (error as { code?: unknown } | undefined)?.code
  // LMDB takes a write that the disk cut short for a failure of the disk.
  const number = code === inputOutputError && isFull(folder) ? 28 : code
  const place = typeof number === 'number' ? ` (error ${number})` : ''
  return told(meanings.get(number) ?? failure, error, { where: 'LMDB', isWrite: false, place })
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
