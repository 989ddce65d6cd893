import {
  andThen,
  type Bytes,
  type Capabilities,
  type Entry,
  isEntry,
  isStoreError,
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
import type { SharedContext } from './associated-data.ts'
import { isEnvelope } from './envelope.ts'
import type { Keyring } from './keyring.ts'
import { kindsUnder, type RecordKind } from './kinds.ts'
import { type NamedCapabilities, namedCapabilities } from './names/capabilities.ts'
import { NameGuard } from './names/name-guard.ts'
import type { NameKey } from './names/name-key.ts'
import { maxTrueKeyBytes, namedVerbs } from './names/named-records.ts'
import { Naming } from './names/naming.ts'
import { type Open, Opener } from './opener.ts'
import { checkBytes } from './seal.ts'
import { type Seal, Sealer } from './sealer.ts'
import type { SealingOptions } from './sealing-options.ts'

/** Settings of the encryption layer. */
export interface EncryptionOptions extends SharedContext, SealingOptions {
  /** Made by `keyring`. */
  readonly keys: Keyring
  /**
   * What the records are: `cache-entry` under a cache in a store, `warm-restart` under what a cache saves. Deltas and
   * chunks that layers above keep beside a record are of their own kinds. @default 'value'
   */
  readonly kind?: RecordKind | undefined
  /**
   * Whether a value that is not encrypted is an error. `false` hands such values on as they are, for the time of
   * a migration: whoever can write to the store can then put in values of his own.
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

/** What encryption does to capabilities: the store below cannot look inside values any more. */
export interface EncryptionCapabilities {
  readonly sealed: true
  readonly increment: false
  readonly documents: false
}

/**
 * Values encrypted and bound to their dataset and key, between the codec and the store.
 *
 * ```ts
 * keyValue(store, [json(), encryption({ dataset: 'users', keys })])
 * ```
 *
 * The store, and whoever sits between, cannot read a value, change it, or move it to another key or dataset
 * without an error. It can bring back an older value of the same key, delete records, and see keys, lengths,
 * expiry and access: see the README. Reads answer `AUTHENTICATION_FAILED`, `UNKNOWN_KEY_ID` or `CORRUPT` for the
 * records concerned.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option, and at composing over a layer that compresses
 */
export function encryption(
  options: EncryptionOptions & { readonly names: NameKey },
): Layer<Bytes, Bytes, EncryptionCapabilities & NamedCapabilities>
export function encryption(
  options: EncryptionOptions & { readonly names?: undefined },
): Layer<Bytes, Bytes, EncryptionCapabilities>
export function encryption(options: EncryptionOptions): Layer<Bytes, Bytes, EncryptionCapabilities> {
  if (options.names !== undefined) return withNames(options, options.names)
  const { requireEncryption } = options
  const { sealer, opener } = cryptoOf(options)
  const opening = (): Open => {
    const open = opener.batch()
    return requireEncryption !== false ? open : (key, value) => (isEnvelope(value) ? open(key, value) : value)
  }
  return layer<Bytes, Bytes, EncryptionCapabilities>('encryption', {
    inner: 'bytes',
    outer: 'bytes',
    capabilities: (inner) => narrowed(inner, sealer),
    wrap: (inner) => {
      refuseCompressionBelow(inner)
      return {
        read: (reads, call) =>
          andThen(inner.read(reads, call), (results) => openResults(results, reads, opening())),
        write: (mutations, call) => {
          const seal = sealer.batch()
          return writePrepared(
            inner,
            mutations.map((mutation) => sealMutation(mutation, seal)),
            call,
          )
        },
        scan: (range, call) =>
          mapPages(inner.scan(range, call), (page) => openPage(page, range.values ? opening() : undefined)),
      }
    },
  })
}

/** Sealer and opener of a stack. */
function cryptoOf(
  options: EncryptionOptions,
  maxTrueKey?: number,
): { readonly sealer: Sealer; readonly opener: Opener } {
  const { keys, dataset, kind = 'value', codec, context } = options
  const { algorithm, padding, chunkAboveBytes, chunkBytes } = options
  const at = { keys, dataset, kind, kindOf: kindsUnder(kind), codec, context }
  const sealing = { algorithm, padding, chunkAboveBytes, chunkBytes, maxTrueKeyBytes: maxTrueKey }
  return { sealer: new Sealer({ ...at, ...sealing }), opener: new Opener(at) }
}

function withNames(options: EncryptionOptions, names: NameKey): Layer<Bytes, Bytes, EncryptionCapabilities> {
  if (options.requireEncryption === false)
    throw new StoreError(
      'INVALID_CONFIG',
      'names needs requireEncryption: a record that is not encrypted does not tell its key.',
    )
  const { sealer, opener } = cryptoOf(options, maxTrueKeyBytes)
  const naming = new Naming(names, options.dataset)
  return layer<Bytes, Bytes, EncryptionCapabilities>('encryption', {
    inner: 'bytes',
    outer: 'bytes',
    capabilities: (inner) => ({ ...narrowed(inner, sealer), ...namedCapabilities(inner) }),
    wrap: (inner) => {
      refuseCompressionBelow(inner)
      const guard = new NameGuard(inner, { naming, opener, now: () => performance.now() })
      return namedVerbs(inner, { naming, sealer, opener, guard })
    },
  })
}

function narrowed(inner: Capabilities, sealer: Sealer): EncryptionCapabilities & Partial<Capabilities> {
  const maxValueBytes = sealer.maxValueBytes(inner.maxValueBytes)
  return { sealed: true, increment: false, documents: false, maxValueBytes }
}

/** The compression layer marks its verb so; seen here where no other layer stands between. */
const compressed = Symbol.for('@unikv/compressed')

function refuseCompressionBelow(inner: Store<Bytes>): void {
  const verbs: { readonly read: object } = inner
  if (!(compressed in verbs.read)) return
  const message =
    'Wrong order: encryption stands before compression, and encrypted bytes do not compress. Write compression({ withEncryption: true }) before encryption, or leave it out.'
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
function openPage(page: Page<Bytes>, open: Open | undefined): Page<Bytes> {
  const entries = page.entries.map(({ key, entry }) => {
    if (open === undefined) return { key }
    return { key, entry: entry === undefined || isStoreError(entry) ? entry : openEntry(key, entry, open) }
  })
  return { ...page, entries }
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

/** The answer, or its error as the result of this one record. */
function attempt<T>(work: () => T): T | StoreError {
  try {
    return work()
  } catch (error) {
    if (isStoreError(error)) return error
    throw error
  }
}
