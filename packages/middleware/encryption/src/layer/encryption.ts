import {
  type Awaitable,
  andThen,
  type Bytes,
  type CallOptions,
  type Capabilities,
  type Entry,
  isEntry,
  type Layer,
  layer,
  type Mutation,
  mapPages,
  type Page,
  type Read,
  type ReadResult,
  type Store,
  StoreError,
  writePrepared,
} from '@unikv/core'
import { checkFactoryOptions, layersThrough, lostWrites, takesAtOnce } from '@unikv/core/adapter'
import { agingClock } from '@unikv/core/platform'
import { checkBytes, checkTypes } from '../checks.ts'
import { type SharedContext, sharedTable } from '../envelope/associated-data.ts'
import { attempt, envelopesIn, envelopesOf, sizeOf } from '../envelope/batches.ts'
import { isEnvelope } from '../envelope/envelope.ts'
import { kindsUnder, type RecordKind } from '../envelope/kinds.ts'
import type { Open } from '../envelope/opener.ts'
import type { Seal, SealerOptions } from '../envelope/sealer.ts'
import { type SealingOptions, sealingTable } from '../envelope/sealing-options.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { KmsKeys } from '../kms/kms-keys.ts'
import { type NamedCapabilities, namedCapabilities } from '../names/capabilities.ts'
import { markerKey } from '../names/marker.ts'
import { NameGuard } from '../names/name-guard.ts'
import type { NameKey } from '../names/name-key.ts'
import { maxTrueKeyBytes, namedVerbs } from '../names/named-records.ts'
import { Naming } from '../names/naming.ts'
import { readPastCaches } from '../past-caches.ts'
import type { Vault } from '../vaults/vault.ts'
import { vaultOf } from '../vaults/vault-of.ts'
import { rememberLayer } from './sealed-layers.ts'

/** Settings of the encryption layer. */
export interface EncryptionOptions extends SharedContext, SealingOptions {
  /** Made by `keyring`. */
  readonly keys: Keyring
  /**
   * The kind of the records: `cache-entry` under a cache in a store, `warm-restart` under what a cache saves. Deltas and
   * chunks that layers above keep beside a record are of their own kinds. @default 'value'
   */
  readonly kind?: RecordKind | undefined
  /**
   * Whether a value that is not encrypted is an error. `false` hands such values on as they are, for the time of
   * a migration: an attacker that can write to the store can then put in values.
   *
   * @default true
   */
  readonly requireEncryption?: boolean | undefined
  /**
   * Made by `nameKey`: the store sees hashes in place of keys and namespaces, and listings read whole records. A
   * dataset has hashed names from its first record on, or never; the key changes by `rekey` alone.
   */
  readonly names?: NameKey | undefined
}

/** Settings of the encryption layer with a key management service. */
export interface KmsEncryptionOptions extends Omit<EncryptionOptions, 'keys'> {
  /** Made by `kmsKeys`. */
  readonly keys: KmsKeys
}

/** The effect of encryption on capabilities: the store below can no longer look inside values. */
export interface EncryptionCapabilities {
  readonly sealed: true
  readonly increment: false
  readonly documents: false
  readonly deltas: false
}

/** With a key management service nothing is at hand: a data key may have to be asked for. */
export interface KmsEncryptionCapabilities extends EncryptionCapabilities {
  readonly sync: 'none'
}

const optionNames: Record<keyof EncryptionOptions, unknown> = {
  ...sharedTable,
  ...sealingTable,
  keys: true,
  requireEncryption: true,
  names: true,
}

/**
 * Values encrypted with data keys of a key management service, which stand wrapped in each record. Every answer is a promise; a service
 * that fails or does not answer in time fails the call (`UNAVAILABLE`, `TIMEOUT`, …), or the records it concerns.
 */
export function encryption(
  options: KmsEncryptionOptions & { readonly names: NameKey | undefined },
): Layer<Bytes, Bytes, KmsEncryptionCapabilities & NamedCapabilities>
export function encryption(
  options: KmsEncryptionOptions & { readonly names?: undefined },
): Layer<Bytes, Bytes, KmsEncryptionCapabilities>
/**
 * Values encrypted and bound to their dataset and key, between the codec and the store.
 *
 * ```ts
 * keyValue(store, [json(), encryption({ dataset: 'users', keys })])
 * ```
 *
 * The store, and anyone between, cannot read a value, change it, or move it to another key or dataset
 * without an error. It can bring back an older value of the same key, delete records, and see keys, lengths,
 * expiry and access: see the README. Reads answer `AUTHENTICATION_FAILED`, `UNKNOWN_KEY_ID` or `CORRUPT` for the
 * records concerned.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option, and at composing over a layer that compresses
 */
export function encryption(
  options: EncryptionOptions & { readonly names: NameKey | undefined },
): Layer<Bytes, Bytes, EncryptionCapabilities & NamedCapabilities>
export function encryption(
  options: EncryptionOptions & { readonly names?: undefined },
): Layer<Bytes, Bytes, EncryptionCapabilities>
export function encryption(
  options: EncryptionOptions | KmsEncryptionOptions = {} as EncryptionOptions,
): Layer<Bytes, Bytes, EncryptionCapabilities> {
  checkFactoryOptions('encryption', options, optionNames)
  const { names, requireEncryption } = options
  checkTypes('boolean', { requireEncryption })
  if (names !== undefined) return withNames(options, names)
  const vault = vaultOf(settingsOf(options))
  const takesPlain = requireEncryption === false
  const lenient = (open: Open): Open =>
    takesPlain ? (key, value) => (isEnvelope(value) ? open(key, value) : value) : open
  const made = layer<Bytes, Bytes, EncryptionCapabilities>('encryption', {
    inner: 'bytes',
    outer: 'bytes',
    // With keys at hand a write is sealed before the store is called.
    facts: takesAtOnce.with(vault.sync),
    capabilities: (inner) => narrowed(inner, vault),
    wrap: (inner) => {
      refuseCompressionBelow(inner)
      return {
        read: readPastCaches(inner, (reads, call) =>
          andThen(inner.read(reads, call), (results) =>
            vault.opened(
              () => envelopesOf(results, reads),
              call,
              (open) => openResults(results, reads, lenient(open)),
            ),
          ),
        ),
        write: (mutations, call) =>
          andThen(sealMutations(vault, mutations, call), (sealed) => writePrepared(inner, sealed, call)),
        scan: (range, call) =>
          mapPages(inner.scan(range, call), (page) => {
            if (!range.values) return keysOf(page)
            return vault.opened(
              () => envelopesIn(page),
              call,
              (open) => openPage(page, lenient(open)),
            )
          }),
      }
    },
  })
  return rememberLayer(made, { vault, takesPlain })
}

/** Settings of sealer and opener. */
function settingsOf(options: EncryptionOptions | KmsEncryptionOptions): SealerOptions {
  const { keys, dataset, kind = 'value', codec, context } = options
  const { algorithm, padding, chunkAboveBytes, chunkBytes } = options
  const at = { keys, dataset, kind, kindOf: kindsUnder(kind), codec, context }
  return { ...at, algorithm, padding, chunkAboveBytes, chunkBytes }
}

function withNames(
  options: EncryptionOptions | KmsEncryptionOptions,
  names: NameKey,
): Layer<Bytes, Bytes, EncryptionCapabilities> {
  if (options.requireEncryption === false)
    throw new StoreError(
      'INVALID_CONFIG',
      'names needs requireEncryption: a record that is not encrypted does not tell its key.',
    )
  const vault = vaultOf({ ...settingsOf(options), maxTrueKeyBytes })
  const naming = new Naming(names, options.dataset)
  const made = layer<Bytes, Bytes, EncryptionCapabilities>('encryption', {
    inner: 'bytes',
    outer: 'bytes',
    capabilities: (inner) => ({ ...narrowed(inner, vault), ...namedCapabilities(inner) }),
    wrap: (inner) => {
      refuseCompressionBelow(inner)
      refuseQueueBelow(inner)
      const guard = new NameGuard(inner, { naming, vault, now: agingClock })
      return namedVerbs(inner, { naming, vault, guard })
    },
  })
  return rememberLayer(made, { vault, takesPlain: false, ownKey: markerKey })
}

function narrowed(
  inner: Capabilities,
  { sealer, sync }: Vault,
): EncryptionCapabilities & Partial<Capabilities> {
  const maxValueBytes = sealer.maxValueBytes(inner.maxValueBytes)
  return {
    sealed: true,
    increment: false,
    documents: false,
    deltas: false,
    maxValueBytes,
    ...(sync === false && { sync: 'none' }),
  }
}

function refuseCompressionBelow(inner: Store<Bytes>): void {
  if (inner.capabilities.holds?.includes('compressed') !== true) return
  const message =
    'Wrong order: encryption stands before compression, and encrypted bytes do not compress. Write compression({ withEncryption: true }) before encryption, or leave it out.'
  throw new StoreError('INVALID_CONFIG', message, { store: inner.name })
}

/** Writes in a queue would go to the store under the old names after a `rekey`, and would be lost. */
function refuseQueueBelow(inner: Store<Bytes>): void {
  const queue = layersThrough(inner).find(({ layer }) => lostWrites.of(layer.plan.facts) !== undefined)?.layer
  if (queue === undefined) return
  const message = `Wrong order: encryption with names stands before ${queue.name}({ background }), whose queue would keep writes under names that rekey() changes. Put ${queue.name} before encryption, with a journal of its own encryption, or leave background away.`
  throw new StoreError('INVALID_CONFIG', message, { store: inner.name })
}

function openResults(
  results: readonly ReadResult<Bytes>[],
  reads: readonly Read[],
  open: Open,
): readonly ReadResult<Bytes>[] {
  return results.map((result, i) => {
    if (!isEntry(result)) return result
    const { key, head } = reads[i] as Read
    if (head !== true) return openEntry(key, result, open)
    const { version, expiresAt, meta } = result
    return { notModified: true, version, expiresAt, meta }
  })
}

function openEntry(key: string, entry: Entry<Bytes>, open: Open): Entry<Bytes> | StoreError {
  return attempt(() => ({ ...entry, value: open(key, entry.value) }))
}

/** Where values were not asked for, none is handed up, sealed or not. */
function keysOf(page: Page<Bytes>): Page<Bytes> {
  return { ...page, entries: page.entries.map(({ key }) => ({ key })) }
}

function openPage(page: Page<Bytes>, open: Open): Page<Bytes> {
  const entries = page.entries.map(({ key, entry }) => ({
    key,
    entry: isEntry(entry) ? openEntry(key, entry, open) : entry,
  }))
  return { ...page, entries }
}

function sealMutations(
  vault: Vault,
  mutations: readonly Mutation<Bytes>[],
  call: CallOptions,
): Awaitable<readonly (Mutation<Bytes> | StoreError)[]> {
  return vault.sealed(
    () => sizeOf(mutations),
    call,
    (seal) => mutations.map((mutation) => sealMutation(mutation, seal)),
  )
}

function sealMutation(mutation: Mutation<Bytes>, seal: Seal): Mutation<Bytes> | StoreError {
  if (mutation.type === 'increment')
    return new StoreError('UNSUPPORTED', 'An encrypted record cannot be incremented: use update.')
  if (mutation.type !== 'set') return mutation
  return attempt(() => {
    checkBytes(mutation.value)
    return { ...mutation, value: seal(mutation.key, mutation.value) }
  })
}
