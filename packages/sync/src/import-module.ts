import { isStoreError, StoreError } from '@unikv/core'
import { messageOf } from '@unikv/core/adapter'

/**
 * The exports of a user's module. Node keeps a failed import, so another try in this thread would fail in the same way.
 *
 * @throws {StoreError} `INVALID_CONFIG` if it cannot be imported; a `StoreError` that it throws itself as it is
 */
export async function importModule(module: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(module)) as Readonly<Record<string, unknown>>
  } catch (cause) {
    if (isStoreError(cause)) throw cause
    throw new StoreError('INVALID_CONFIG', `The module cannot be imported: ${messageOf(cause)}`, { cause })
  }
}
