import { type Bytes, StoreError } from '@unikv/core'
import type { RecordContext } from './associated-data.ts'
import type { Keyring } from './keyring.ts'
import { Opener } from './opener.ts'
import { saltSource } from './salts.ts'
import { Sealer } from './sealer.ts'
import type { SealingOptions } from './sealing-options.ts'

/** What an envelope is opened with. */
export interface OpenOptions extends RecordContext {
  readonly keys: Keyring
}

/** What an envelope is sealed with. */
export interface SealOptions extends OpenOptions, SealingOptions {}

const salts = saltSource()

/**
 * Encrypt bytes, without any store. The answer is an envelope that only `open` with the same context gives back.
 *
 * ```ts
 * const envelope = seal(bytes, { keys, dataset: 'backups', key: '2026-11-21' })
 * ```
 *
 * @throws {StoreError} `INVALID_VALUE`, `INVALID_KEY`, `INVALID_CONFIG`, `VALUE_TOO_LARGE`
 */
export function seal(bytes: Bytes, { key, ...options }: SealOptions): Bytes {
  checkBytes(bytes)
  checkKey(key)
  return new Sealer(options, salts).batch()(key, bytes)
}

/**
 * Decrypt an envelope, without any store.
 *
 * @throws {StoreError} `AUTHENTICATION_FAILED` if it was changed or belongs elsewhere, `UNKNOWN_KEY_ID` if its
 * key is not enabled here, `CORRUPT` if it is no envelope of this version
 */
export function open(envelope: Bytes, { key, ...options }: OpenOptions): Bytes {
  checkBytes(envelope)
  checkKey(key)
  return new Opener(options).batch()(key, envelope)
}

/** @throws {StoreError} `INVALID_VALUE` */
export function checkBytes(value: unknown): asserts value is Bytes {
  if (value instanceof Uint8Array) return
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
