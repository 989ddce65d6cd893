import { isStoreError, StoreError } from '@unikv/core'
import { printable } from './printable.ts'

/**
 * Read something of the user's data.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` that names the path, if it cannot be read
 */
export async function readable<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (isStoreError(error)) throw error
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new StoreError('INVALID_ARGUMENT', `The data in ${printable(path)} cannot be read (${why}).`, {
      cause: error,
    })
  }
}
