import { inspect } from 'node:util'
import { StoreError } from '@unikv/core/adapter'
import { type KeyMaterial, rootKey } from '../keys/key-material.ts'

/** The key by which names are hashed. Shows nothing of itself. */
export interface NameKey {
  readonly kind: 'name key'
}

/**
 * A name key: 32 random bytes, used for names alone. It changes only by `rekey`.
 *
 * ```ts
 * const names = nameKey(process.env.USERS_NAME_KEY ?? '')
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a passphrase, and for what is not 32 bytes
 */
export function nameKey(material: KeyMaterial): NameKey {
  return new HeldNameKey(rootKey('name key', material))
}

/**
 * The bytes of a name key.
 *
 * @throws {StoreError} `INVALID_CONFIG` for what `nameKey` did not make
 */
export function nameKeyBytes(names: unknown): Buffer {
  return HeldNameKey.of(names)
}

/** The bytes in a private field: inspection, JSON, structured clones and spreads do not see them. */
class HeldNameKey implements NameKey {
  readonly kind = 'name key'
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    Object.freeze(this)
  }

  static of(names: unknown): Buffer {
    if (typeof names === 'object' && names !== null && #bytes in names) return names.#bytes
    throw new StoreError('INVALID_CONFIG', 'names must be the result of nameKey().')
  }

  [inspect.custom](): string {
    return 'NameKey {}'
  }
}
