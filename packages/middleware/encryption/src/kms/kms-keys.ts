import { inspect } from 'node:util'
import { any, ms, type Option, type OptionsOf, ownClock, readOptions, StoreError } from '@unikv/core/adapter'
import { agingClock } from '@unikv/core/platform'
import { isId, maxIdBytes } from '../keys/identifiers.ts'
import { isKeyring, type Keyring } from '../keys/keyring.ts'
import { isProviderId, maxProviders } from '../keys/wrapped-keys.ts'
import { DataKeys } from './data-keys.ts'
import type { KmsContext, KmsProvider } from './kms-provider.ts'

const table = {
  /** One, or up to 8: the first makes data keys, all wrap them, and any one of them unwraps. */
  providers: checkedProviders,
  /** Identifier of the whole, told in every envelope. @default 'main' */
  id: any<string>(),
  /** The identifier that stands where a keyring names its key. @default 'kms' */
  keyId: any<string>(),
  /** Given to the services with every call, beside the dataset. Not secret. @default none */
  context: checkedContext,
  /** Opens what was sealed before, without a service: for the time until `reencrypt` has been there. */
  keyring: aKeyring,
  /** Data keys that are kept in memory. @default 1000 */
  maxKeys: count(1000),
  /** Records that one data key seals, unless a single write has more. @default 1000000 */
  maxMessages: count(1_000_000),
  /** Bytes of values that one data key seals, unless a single write has more. @default 68719476736 (64 GiB) */
  maxBytes: count(68_719_476_736),
  /** How long a data key seals, and how long an unwrapped one is kept, in milliseconds. @default 300000 */
  maxAgeMs: ms(300_000),
  /** Longest call to a service, in milliseconds. A waiting caller ends with its own deadline. @default 5000 */
  timeoutMs: ms(5000),
  /** Monotonic clock in milliseconds. @default one that goes on while the machine sleeps */
  clock: ownClock(agingClock),
}

/** The services that make data keys, and how long the keys are used. */
export interface KmsKeysOptions extends OptionsOf<typeof table> {}

/** Keys that a key management service holds. Shows identifiers, never a key. */
export interface KmsKeys {
  readonly id: string
  readonly keyId: string
  /** Identifiers of the providers, in order. */
  readonly providers: readonly string[]
  /** Overwrite all data keys in memory with zeros. The next call asks the service. */
  forget(): void
}

/**
 * Envelope encryption: data keys that a key management service makes and wraps; the wrapped key stands in each record.
 * A data key is used again within the limits, so most calls ask nothing of the service.
 *
 * ```ts
 * const keys = kmsKeys({ providers: awsKms({ client, commands, keyId: 'arn:aws:kms:…' }) })
 * const users = keyValue(store, [json(), encryption({ dataset: 'users', keys })])
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function kmsKeys(options: KmsKeysOptions): KmsKeys {
  const settings = readOptions('kmsKeys', table, options)
  const { id = 'main', keyId = 'kms', providers, context, keyring, ...limits } = settings
  if (
    typeof id !== 'string' ||
    typeof keyId !== 'string' ||
    !isId(id) ||
    !isId(keyId) ||
    `${id}${keyId}`.length > maxIdBytes
  )
    throw invalid(
      'id and keyId must be identifiers of 1 to 15 letters, digits, dots, dashes or underscores, 16 together.',
    )
  return new HeldKmsKeys({ id, keyId }, { providers, context, keyring, limits })
}

/** The parts behind `KmsKeys`. */
export interface KmsParts {
  readonly providers: readonly KmsProvider[]
  readonly context: KmsContext
  readonly keyring: Keyring | undefined
  readonly dataKeys: DataKeys
}

/**
 * Refuse what is neither a keyring nor made by `kmsKeys`.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkKeys(keys: unknown): asserts keys is Keyring | KmsKeys {
  if (!isKeyring(keys)) HeldKmsKeys.of(keys)
}

/**
 * The parts of what `kmsKeys` made.
 *
 * @throws {StoreError} `INVALID_CONFIG` for anything else
 */
export function partsOf(keys: unknown): KmsParts {
  return HeldKmsKeys.of(keys)
}

class HeldKmsKeys implements KmsKeys {
  readonly id: string
  readonly keyId: string
  readonly providers: readonly string[]
  readonly #parts: KmsParts

  constructor(
    { id, keyId }: Pick<KmsKeys, 'id' | 'keyId'>,
    {
      limits,
      ...parts
    }: Omit<KmsParts, 'dataKeys'> & { readonly limits: ConstructorParameters<typeof DataKeys>[1] },
  ) {
    this.id = id
    this.keyId = keyId
    this.providers = Object.freeze(parts.providers.map((provider) => provider.id))
    this.#parts = { ...parts, dataKeys: new DataKeys(parts.providers, limits) }
    Object.freeze(this)
  }

  static of(keys: unknown): KmsParts {
    if (typeof keys === 'object' && keys !== null && #parts in keys) return keys.#parts
    throw invalid('keys must be the result of keyring() or kmsKeys().')
  }

  forget(): void {
    this.#parts.dataKeys.forget()
  }

  [inspect.custom](): string {
    return `KmsKeys ${inspect({ id: this.id, keyId: this.keyId, providers: this.providers })}`
  }
}

function checkedProviders(given: KmsProvider | readonly KmsProvider[]): readonly KmsProvider[] {
  const providers: readonly Partial<KmsProvider>[] = Array.isArray(given) ? given : [given]
  if (providers.length < 1 || providers.length > maxProviders)
    throw invalid(`providers must be 1 to ${maxProviders} key management services.`)
  const ids = new Set<string>()
  for (const [i, provider] of providers.entries()) {
    if (!isProviderId(provider?.id) || ids.has(provider.id))
      throw invalid(
        'Each provider needs an id of its own: 1 to 32 letters, digits, dots, dashes or underscores.',
      )
    ids.add(provider.id)
    if (typeof provider.info !== 'string' || Buffer.byteLength(provider.info) > 512)
      throw invalid(`info of the provider '${provider.id}' must be a string of at most 512 bytes.`)
    const needed = i === 0 ? ['generateDataKey', 'decryptDataKey'] : ['encryptDataKey', 'decryptDataKey']
    const missing = needed.find((method) => typeof provider[method as keyof KmsProvider] !== 'function')
    if (missing !== undefined) throw invalid(`The provider '${provider.id}' needs ${missing} in its place.`)
  }
  return Object.freeze([...(providers as readonly KmsProvider[])])
}

function checkedContext(context: KmsContext | undefined = {}): KmsContext {
  const entries = typeof context === 'object' && context !== null ? Object.entries(context) : [[0, 0]]
  const isGood = entries.every(([name, value]) => isText(name) && isText(value) && !name.startsWith('unikv:'))
  if (!isGood)
    throw invalid("context must map names that do not begin with 'unikv:' to non-empty, well-formed strings.")
  return Object.freeze(Object.fromEntries(entries) as KmsContext)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed()
}

function count(fallback: number): Option<number | undefined, number> {
  return (given = fallback, name) => {
    if (typeof given === 'number' && given >= 1) return given
    throw invalid(`${name} must be a number of at least 1.`)
  }
}

function aKeyring(keyring: Keyring | undefined): Keyring | undefined {
  if (keyring === undefined || isKeyring(keyring)) return keyring
  throw invalid('keyring must be the result of keyring().')
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
