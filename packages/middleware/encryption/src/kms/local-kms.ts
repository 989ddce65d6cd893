import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { checkFactoryOptions, type OptionNames, StoreError } from '@unikv/core/adapter'
import { isKeyring, type Keyring } from '../keys/keyring.ts'
import { open, seal } from '../seal.ts'
import type { KmsContext, KmsProvider } from './kms-provider.ts'

/** Wraps data keys in the process itself. */
export interface LocalKmsOptions {
  /** Its primary key wraps. */
  readonly keys: Keyring
  /** @default 'local' */
  readonly id?: string | undefined
}

const dataset = 'unikv:data-keys'

/**
 * A key management service without a service: a keyring wraps the data keys, each as an envelope of kind `data-key`
 * whose context is the encryption context. For tests, development and programs on one machine; keys are then in the
 * memory of the process, as with a keyring alone.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function localKms(options: LocalKmsOptions = {} as LocalKmsOptions): KmsProvider {
  checkFactoryOptions('localKms', options, optionNames)
  const { keys, id = 'local' } = options
  if (!isKeyring(keys))
    throw new StoreError('INVALID_CONFIG', 'keys of localKms() must be the result of keyring().')
  return Object.freeze(new LocalKms(id, keys))
}

const optionNames: OptionNames<LocalKmsOptions> = { keys: true, id: true }

class LocalKms implements KmsProvider {
  readonly id: string
  readonly #keys: Keyring

  constructor(id: string, keys: Keyring) {
    this.id = id
    this.#keys = keys
  }

  /** Changes with the primary, so that a sweep wraps anew what an older key wrapped. */
  get info(): string {
    return this.#keys.primary
  }

  async generateDataKey(context: KmsContext): ReturnType<KmsProvider['generateDataKey']> {
    const key = randomBytes(32)
    return { key, blob: await this.encryptDataKey(key, context) }
  }

  async encryptDataKey(key: Uint8Array, context: KmsContext): Promise<Uint8Array> {
    return seal(key, this.#settings(context))
  }

  async decryptDataKey({ blob }: { readonly blob: Uint8Array }, context: KmsContext): Promise<Uint8Array> {
    return open(blob, this.#settings(context))
  }

  #settings(context: KmsContext): Parameters<typeof open>[1] {
    return { keys: this.#keys, dataset, kind: 'data-key', key: '', context: contextText(context) }
  }

  [inspect.custom](): string {
    return `LocalKms ${inspect({ id: this.id, info: this.info })}`
  }
}

/** The same for the same names and values in any order; never the same for others. */
function contextText(context: KmsContext): string {
  return JSON.stringify(Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
