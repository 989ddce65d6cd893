import type { AnyLayer } from '@unikv/core'
import { isPlainObject } from '@unikv/core/platform'
import { type EncryptionOptions, encryption, type KeyringOptions, keyring, nameKey } from '@unikv/encryption'

/** Encryption with options of a configuration: `keys` may be those of a keyring as data, and `names` the text of a key. */
export function encryptionOf(options: Readonly<Record<string, unknown>> = {}): AnyLayer {
  const { keys, names, ...others } = options
  const given = {
    ...others,
    ...(keys === undefined ? {} : { keys: isData(keys) ? keyring(keys as unknown as KeyringOptions) : keys }),
    ...(names === undefined ? {} : { names: typeof names === 'string' ? nameKey(names) : names }),
  }
  return encryption(given as unknown as EncryptionOptions & { readonly names?: undefined })
}

/** A keyring has methods, its options do not. */
function isData(keys: unknown): boolean {
  return isPlainObject(keys) && !('replace' in keys) && 'primary' in keys
}
