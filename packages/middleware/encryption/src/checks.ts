import { type Bytes, StoreError } from '@unikv/core'
import { isBytes } from '@unikv/core/platform'

/** @throws {StoreError} `INVALID_VALUE` */
export function checkBytes(value: unknown): asserts value is Bytes {
  if (isBytes(value)) return
  throw new StoreError(
    'INVALID_VALUE',
    'Encryption needs bytes (Uint8Array). Put a codec above it, such as json().',
  )
}

/** @throws {StoreError} `INVALID_KEY` */
export function checkKey(key: unknown): void {
  if (typeof key === 'string' && key.isWellFormed()) return
  throw new StoreError('INVALID_KEY', 'The key of an envelope must be a well-formed string.')
}
