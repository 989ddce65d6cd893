import type { Awaitable, Bytes } from '@unikv/core'
import { checkFactoryOptions } from '@unikv/core/adapter'
import { checkBytes, checkKey } from './checks.ts'
import { contextTable, type RecordContext } from './envelope/associated-data.ts'
import { Opener } from './envelope/opener.ts'
import { saltSource } from './envelope/salts.ts'
import { Sealer } from './envelope/sealer.ts'
import { type SealingOptions, sealingTable } from './envelope/sealing-options.ts'
import { isKeyring, type Keyring } from './keys/keyring.ts'
import { checkKeys } from './kms/kms-keys.ts'
import { type KmsOpenOptions, type KmsSealOptions, openAsked, sealAsked } from './vaults/kms-seal.ts'

/** The settings for opening an envelope. */
export interface OpenOptions extends RecordContext {
  readonly keys: Keyring
}

/** The settings for sealing an envelope. */
export interface SealOptions extends OpenOptions, SealingOptions {}

const salts = saltSource()

const openNames: Record<keyof OpenOptions, unknown> = { ...contextTable, keys: true }
const sealNames: Record<keyof SealOptions, unknown> = { ...openNames, ...sealingTable }

/**
 * As below, with data keys of a key management service: a promise, which rejects with all that could be thrown, and when
 * the service fails or does not answer in time. Leave the bytes as they are until it is settled.
 */
export function seal(bytes: Bytes, options: KmsSealOptions): Promise<Bytes>
/**
 * Encrypt bytes, without any store. The answer is an envelope that only `open` with the same context gives back.
 *
 * ```ts
 * const envelope = seal(bytes, { keys, dataset: 'backups', key: '2026-11-21' })
 * ```
 *
 * @throws {StoreError} `INVALID_VALUE`, `INVALID_KEY`, `INVALID_CONFIG`, `VALUE_TOO_LARGE`
 */
export function seal(bytes: Bytes, options: SealOptions): Bytes
export function seal(bytes: Bytes, options: SealOptions | KmsSealOptions): Awaitable<Bytes> {
  const { keys } = Object(options) as typeof options
  checkKeys(keys)
  if (!isKeyring(keys)) return sealAsked(bytes, { ...options, keys })
  checkFactoryOptions('seal', options, sealNames)
  checkBytes(bytes)
  const { key, ...at } = options
  checkKey(key)
  return new Sealer(at, salts).batch()(key, bytes)
}

/** As below, with data keys that a key management service unwraps: a promise, as of `seal`. */
export function open(envelope: Bytes, options: KmsOpenOptions): Promise<Bytes>
/**
 * Decrypt an envelope, without any store.
 *
 * @throws {StoreError} `AUTHENTICATION_FAILED` if it was changed or belongs elsewhere, `UNKNOWN_KEY_ID` if its
 * key is not enabled here, `CORRUPT` if it is not an envelope of this version
 */
export function open(envelope: Bytes, options: OpenOptions): Bytes
export function open(envelope: Bytes, options: OpenOptions | KmsOpenOptions): Awaitable<Bytes> {
  const { keys } = Object(options) as typeof options
  checkKeys(keys)
  if (!isKeyring(keys)) return openAsked(envelope, { ...options, keys })
  checkFactoryOptions('open', options, openNames)
  checkBytes(envelope)
  const { key, ...at } = options
  checkKey(key)
  return new Opener(at).batch()(key, envelope)
}
