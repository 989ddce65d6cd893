import { timingSafeEqual } from 'node:crypto'
import { inspect } from 'node:util'
import { checkFactoryOptions, type OptionNames, StoreError } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { isId, maxIdBytes } from './identifiers.ts'
import { type KeyMaterial, rootKey } from './key-material.ts'
import type { KeyName, SealingKey } from './sealing-key.ts'

/**
 * - `enabled`: opens envelopes, and seals new ones while it is the primary
 * - `disabled`: does neither, and can be enabled again
 * - `destroyed`: its bytes are gone; what it sealed stays unreadable
 */
export type KeyState = 'enabled' | 'disabled' | 'destroyed'

/** A key with a state. A destroyed key has no bytes. */
export interface KeySetting {
  readonly key?: KeyMaterial | undefined
  /** @default 'enabled' */
  readonly state?: KeyState | undefined
}

/** The keys of a keyring, and which of them seals. */
export interface KeyringKeys {
  /** Identifier of the key that seals new envelopes. It must be enabled. */
  readonly primary: string
  /** All keys by identifier. Identifiers stand in every envelope, readable; never use one again for another key. */
  readonly keys: Readonly<Record<string, KeyMaterial | KeySetting>>
}

/** The parts of a keyring. */
export interface KeyringOptions extends KeyringKeys {
  /** Identifier of the whole keyring, told in every envelope. @default 'main' */
  readonly id?: string | undefined
}

/** Root keys, one of them the primary. Shows identifiers and states, never a key. */
export interface Keyring {
  readonly id: string
  /** The key that seals now. */
  readonly primary: string
  /** State of each key by identifier, now. */
  readonly states: Readonly<Record<string, KeyState>>
  /**
   * Take these keys instead, at once and for all who hold this keyring: layers, caches, sweeps. Nothing is restarted;
   * a batch that was begun is ended with the key that it began with. Our copies of keys that are destroyed or not among
   * the new ones are overwritten with zeros.
   *
   * @throws {StoreError} `INVALID_CONFIG` as `keyring` does, and for an identifier that gets other bytes than it had;
   * the keyring is then as it was
   */
  replace(keys: KeyringKeys): void
  /**
   * Overwrite our copy of a key with zeros, for good: what it sealed answers `UNKNOWN_KEY_ID` from now on.
   *
   * @throws {StoreError} `INVALID_CONFIG` for the primary, and for a key that is not there
   */
  destroy(id: string): void
}

const keysNames: OptionNames<KeyringKeys> = { primary: true, keys: true }
const optionNames: OptionNames<KeyringOptions> = { ...keysNames, id: true }
const settingNames: OptionNames<KeySetting> = { key: true, state: true }

/**
 * A keyring: one primary key seals, every enabled key opens.
 *
 * To rotate, add the new key everywhere, make it the primary everywhere (`replace`), write the old records again
 * (`reencrypt`), and only then take the old key out.
 *
 * ```ts
 * const keys = keyring({ primary: 'k2', keys: { k1: process.env.KEY_1, k2: process.env.KEY_2 } })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a passphrase, a key that is not 32 bytes, or a bad identifier
 */
export function keyring(options: KeyringOptions): Keyring {
  checkFactoryOptions('keyring', options, optionNames)
  const { id = 'main' } = options ?? {}
  checkId('keyring', id)
  return new HeldKeyring(id, heldKeys(id, options ?? {}))
}

/**
 * The key that seals now: the same object until the keys are replaced. Its bytes must not be kept for later.
 *
 * @throws {StoreError} `INVALID_CONFIG` for what `keyring` did not make
 */
export function sealingKey(keys: unknown): SealingKey {
  return HeldKeyring.of(keys).sealing
}

/**
 * The bytes of the key that an envelope names. No other key is tried.
 *
 * @throws {StoreError} `UNKNOWN_KEY_ID` for another keyring, for a key that is not here or not enabled, and for wrapped
 * data keys; `INVALID_CONFIG` for what `keyring` did not make
 */
export function openingKey(keys: unknown, { keyringId, keyId, wrapped }: KeyName): Buffer {
  const { held } = HeldKeyring.of(keys)
  const { id } = keys as Keyring
  if (wrapped !== undefined)
    throw unknown(
      'The record was sealed with a data key of a key management service, and these keys are a keyring.',
    )
  if (keyringId !== id)
    throw unknown(`The record was sealed with the keyring '${keyringId}', and this one is '${id}'.`)
  const key = held.get(keyId)
  if (key?.root !== undefined && key.state === 'enabled') return key.root
  const why = key === undefined ? 'not in this keyring' : key.state
  throw unknown(`The record was sealed with the key '${keyId}', which is ${why}.`)
}

/** Whether this is a keyring of `keyring`. */
export function isKeyring(keys: unknown): keys is Keyring {
  return HeldKeyring.is(keys)
}

interface HeldKey {
  readonly state: KeyState
  readonly root: Buffer | undefined
}

/** The keys at one time. Never changed: the keyring takes another whole. */
interface HeldKeys {
  readonly sealing: SealingKey
  readonly held: ReadonlyMap<string, HeldKey>
  readonly states: Readonly<Record<string, KeyState>>
}

/** Keys in a private field: inspection, JSON, structured clones and spreads do not see them. */
class HeldKeyring implements Keyring {
  readonly id: string
  #keys: HeldKeys

  constructor(id: string, keys: HeldKeys) {
    this.id = id
    this.#keys = keys
    Object.freeze(this)
  }

  static is(keys: unknown): keys is HeldKeyring {
    return typeof keys === 'object' && keys !== null && #keys in keys
  }

  static of(keys: unknown): HeldKeys {
    if (HeldKeyring.is(keys)) return keys.#keys
    throw invalid('keys must be the result of keyring().')
  }

  get primary(): string {
    return this.#keys.sealing.id
  }

  get states(): Readonly<Record<string, KeyState>> {
    return this.#keys.states
  }

  replace(options: KeyringKeys): void {
    checkFactoryOptions('replace', options, keysNames)
    const before = this.#keys.held
    const after = heldKeys(this.id, options ?? {})
    for (const [name, { root }] of after.held) {
      const known = before.get(name)?.root
      if (root === undefined || known === undefined || timingSafeEqual(root, known)) continue
      wipe(after.held)
      throw invalid(`The key '${name}' has changed its bytes. Give new bytes a new identifier.`)
    }
    this.#keys = after
    // Copies of their own stand in the new one.
    wipe(before)
  }

  destroy(id: string): void {
    const { sealing, held } = this.#keys
    const gone = held.get(id)
    if (gone === undefined) throw invalid('destroy() needs the identifier of a key in this keyring.')
    if (id === sealing.id)
      throw invalid('The primary key of a keyring cannot be destroyed. Make another key the primary first.')
    this.#keys = heldAs(sealing, new Map(held).set(id, { state: 'destroyed', root: undefined }))
    gone.root?.fill(0)
  }

  toJSON(): object {
    return { id: this.id, primary: this.primary, states: this.states }
  }

  [inspect.custom](): string {
    return `Keyring ${inspect(this.toJSON())}`
  }
}

/** Copies of all keys, once all of them were found good. */
function heldKeys(id: string, { primary, keys }: Partial<KeyringKeys>): HeldKeys {
  const held = new Map<string, HeldKey>()
  try {
    for (const [name, setting] of Object.entries(keys ?? {})) {
      checkId('key', name)
      if (id.length + name.length > maxIdBytes)
        throw invalid(
          `The identifiers of the keyring and of the key '${name}' have more than 16 bytes in total.`,
        )
      held.set(name, hold(name, setting))
    }
    refuseTwins(held)
    const first = typeof primary === 'string' ? held.get(primary) : undefined
    if (typeof primary !== 'string' || first?.root === undefined || first.state !== 'enabled')
      throw invalid('The primary of a keyring must name one of its enabled keys.')
    return heldAs({ keyringId: id, id: primary, root: first.root }, held)
  } catch (error) {
    wipe(held)
    throw error
  }
}

function heldAs(sealing: SealingKey, held: ReadonlyMap<string, HeldKey>): HeldKeys {
  const states = Object.fromEntries(Array.from(held, ([name, { state }]) => [name, state]))
  return { sealing, held, states: Object.freeze(states) }
}

function wipe(held: ReadonlyMap<string, HeldKey>): void {
  for (const { root } of held.values()) root?.fill(0)
}

function hold(name: string, setting: KeyMaterial | KeySetting): HeldKey {
  const isSetting = typeof setting === 'object' && setting !== null && !isBytes(setting)
  if (isSetting) checkFactoryOptions('the key of a keyring', setting, settingNames)
  const { key, state = 'enabled' }: KeySetting = isSetting ? setting : { key: setting }
  if (state === 'destroyed') {
    if (key !== undefined)
      throw invalid(`The key '${name}' is destroyed. Remove its bytes from the configuration.`)
    return { state, root: undefined }
  }
  if (state !== 'enabled' && state !== 'disabled')
    throw invalid(`The state of the key '${name}' must be enabled, disabled or destroyed.`)
  return { state, root: rootKey(name, key) }
}

/** One key under two identifiers is a rotation that changed nothing. */
function refuseTwins(held: ReadonlyMap<string, HeldKey>): void {
  const roots = Array.from(held).flatMap(([name, { root }]) => (root === undefined ? [] : [{ name, root }]))
  for (const [i, one] of roots.entries()) {
    const twin = roots.slice(i + 1).find(({ root }) => timingSafeEqual(root, one.root))
    if (twin !== undefined) throw invalid(`The keys '${one.name}' and '${twin.name}' have the same bytes.`)
  }
}

function checkId(what: string, id: unknown): void {
  if (typeof id === 'string' && isId(id)) return
  throw invalid(
    `The identifier of a ${what} must be 1 to 15 letters, digits, dots, dashes or underscores, and start with a letter or digit.`,
  )
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}

function unknown(message: string): StoreError {
  return new StoreError('UNKNOWN_KEY_ID', `${message} Add the key to open it.`)
}
