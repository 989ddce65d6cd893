import type { Bytes, ErrorCode } from '@unikv/core'
import { kindOf, StoreError } from '@unikv/core/adapter'
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

/**
 * Refuse options of another type than this; `undefined` passes.
 *
 * @throws {StoreError} `code`
 */
export function checkTypes(
  type: 'boolean' | 'function',
  options: Readonly<Record<string, unknown>>,
  code: ErrorCode = 'INVALID_CONFIG',
): void {
  const wanted = type === 'boolean' ? 'true or false' : 'a function'
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && typeof value !== type)
      throw new StoreError(code, `${name} must be ${wanted}; got ${kindOf(value)}.`)
}
