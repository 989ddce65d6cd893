import { timingSafeEqual } from 'node:crypto'
import { inspect } from 'node:util'
import { StoreError } from '@unikv/core'
import { type KeyMaterial, rootKey } from './key-material.ts'

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

/** What a keyring is made of. */
export interface KeyringOptions {
  /** Identifier of the whole keyring, told in every envelope. @default 'main' */
  readonly id?: string | undefined
  /** Identifier of the key that seals new envelopes. It must be enabled. */
  readonly primary: string
  /** All keys by identifier. Identifiers stand in every envelope, readable; never use one again for another key. */
  readonly keys: Readonly<Record<string, KeyMaterial | KeySetting>>
}

/** Root keys, one of them the primary. Shows identifiers and states, never a key. */
export interface Keyring {
  readonly id: string
  readonly primary: string
  /** State of each key by identifier. */
  readonly states: Readonly<Record<string, KeyState>>
}

/**
 * A keyring: one primary key seals, every enabled key opens.
 *
 * To rotate, add the new key everywhere, make it the primary everywhere, write the old records again, and only
 * then take the old key out.
 *
 * ```ts
 * const keys = keyring({ primary: 'k2', keys: { k1: process.env.KEY_1, k2: process.env.KEY_2 } })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a passphrase, a key that is not 32 bytes, or a bad identifier
 */
export function keyring(options: KeyringOptions): Keyring {
  const { id = 'main', primary, keys } = options ?? {}
  checkId('keyring', id)
  const held = new Map<string, HeldKey>()
  for (const [name, setting] of Object.entries(keys ?? {})) {
    checkId('key', name)
    if (id.length + name.length > maxIdBytes)
      throw invalid(
        `The identifiers of the keyring and of the key '${name}' take more than 16 bytes together.`,
      )
    held.set(name, hold(name, setting))
  }
  refuseTwins(held)
  if (held.get(primary)?.state !== 'enabled')
    throw invalid('The primary of a keyring must name one of its enabled keys.')
  return new HeldKeyring(id, primary, held)
}

/** Most bytes of both identifiers together, so that an envelope stays within 112 bytes. */
export const maxIdBytes = 16

/** Whether bytes of an envelope are an identifier as `keyring` allows it, so that a message may repeat it. */
export function isId(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$/.test(text)
}

/**
 * The bytes of the key that seals.
 *
 * @throws {StoreError} `INVALID_CONFIG` for what `keyring` did not make
 */
export function sealingKey(keys: Keyring): Buffer {
  return HeldKeyring.of(keys).get(keys.primary)?.root as Buffer
}

/**
 * The bytes of the key that an envelope names. No other key is tried.
 *
 * @throws {StoreError} `UNKNOWN_KEY_ID` for another keyring, and for a key that is not here or not enabled
 */
export function openingKey(keys: Keyring, keyringId: string, keyId: string): Buffer {
  if (keyringId !== keys.id)
    throw unknown(`The record was sealed with the keyring '${keyringId}', and this one is '${keys.id}'.`)
  const held = HeldKeyring.of(keys).get(keyId)
  if (held?.root !== undefined && held.state === 'enabled') return held.root
  const why = held === undefined ? 'not in this keyring' : held.state
  throw unknown(`The record was sealed with the key '${keyId}', which is ${why}.`)
}

/**
 * Refuse what is no keyring.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function checkKeyring(keys: unknown): asserts keys is Keyring {
  HeldKeyring.of(keys)
}

interface HeldKey {
  readonly state: KeyState
  readonly root: Buffer | undefined
}

/** Keys in a private field: inspection, JSON, structured clones and spreads do not see them. */
class HeldKeyring implements Keyring {
  readonly id: string
  readonly primary: string
  readonly states: Readonly<Record<string, KeyState>>
  readonly #held: ReadonlyMap<string, HeldKey>

  constructor(id: string, primary: string, held: ReadonlyMap<string, HeldKey>) {
    this.id = id
    this.primary = primary
    this.states = Object.freeze(Object.fromEntries(Array.from(held, ([name, { state }]) => [name, state])))
    this.#held = held
    Object.freeze(this)
  }

  static of(keys: unknown): ReadonlyMap<string, HeldKey> {
    if (typeof keys === 'object' && keys !== null && #held in keys) return keys.#held
    throw invalid('keys must be made by keyring() of this package.')
  }

  [inspect.custom](): string {
    return `Keyring ${inspect({ id: this.id, primary: this.primary, states: this.states })}`
  }
}

function hold(name: string, setting: KeyMaterial | KeySetting): HeldKey {
  const isSetting = typeof setting === 'object' && setting !== null && !(setting instanceof Uint8Array)
  const { key, state = 'enabled' }: KeySetting = isSetting ? setting : { key: setting }
  if (state === 'destroyed') {
    if (key !== undefined)
      throw invalid(`The key '${name}' is destroyed: take its bytes out of the configuration.`)
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
    if (twin !== undefined) throw invalid(`The keys '${one.name}' and '${twin.name}' are the same bytes.`)
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
