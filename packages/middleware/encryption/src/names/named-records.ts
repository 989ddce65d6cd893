import {
  type Awaitable,
  andThen,
  type Bytes,
  type CallOptions,
  isEntry,
  isStoreError,
  type Mutation,
  mapPages,
  type Page,
  type Pages,
  type Read,
  type ReadResult,
  type ScanEntry,
  type ScanRange,
  type Store,
  StoreError,
  type Verbs,
  type WriteResult,
  writePrepared,
} from '@unikv/core'
import { clearedPrefixes, keyBytes, storedKey, unnamedKey } from '@unikv/core/adapter'
import { checkBytes } from '../checks.ts'
import { attempt, envelopesIn, envelopesOf, mayPass, sizeOf } from '../envelope/batches.ts'
import type { OpenNamed } from '../envelope/opener.ts'
import type { Seal } from '../envelope/sealer.ts'
import { readPastCaches } from '../past-caches.ts'
import type { Vault } from '../vaults/vault.ts'
import { markerKey } from './marker.ts'
import type { NameGuard } from './name-guard.ts'
import type { Naming } from './naming.ts'

/** Longest true key in bytes, on every store. */
export const maxTrueKeyBytes = 1024

/** Parts of the verbs. */
export interface NamedParts {
  readonly naming: Naming
  readonly vault: Vault
  readonly guard: NameGuard
}

/** The three verbs over a store that knows hashed keys alone. */
export function namedVerbs(inner: Store<Bytes>, parts: NamedParts): Partial<Verbs<Bytes>> {
  const records = new NamedRecords(inner, parts)
  return {
    read: readPastCaches(inner, (reads, call) => records.read(reads, call)),
    write: (mutations, call) => records.write(mutations, call),
    scan: (range, call) => records.scan(range, call),
  }
}

class NamedRecords {
  readonly #inner: Store<Bytes>
  readonly #parts: NamedParts
  /** Declared, and so the same for every key, short or long. */
  readonly #maxValueBytes: number

  constructor(inner: Store<Bytes>, parts: NamedParts) {
    this.#inner = inner
    this.#parts = parts
    this.#maxValueBytes = parts.vault.sealer.maxValueBytes(inner.capabilities.maxValueBytes)
  }

  read(reads: readonly Read[], call: CallOptions): Awaitable<readonly ReadResult<Bytes>[]> {
    const stored = reads.map(({ key }) => attempt(() => this.#stored(key)))
    const asked = reads.flatMap((read, i) =>
      isStoreError(stored[i]) ? [] : [{ ...read, key: stored[i] as string }],
    )
    const { guard, vault } = this.#parts
    return andThen(guard.read(asked, call), (results) =>
      vault.openedNamed(
        () => envelopesOf(results, asked),
        call,
        (open) => {
          let next = 0
          return reads.map((read, i) => {
            const at = stored[i]
            return isStoreError(at) ? at : this.#result(read, at as string, results[next++], open)
          })
        },
      ),
    )
  }

  write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Awaitable<readonly WriteResult[]> {
    const { guard, vault } = this.#parts
    const prepared = vault.sealed(
      () => sizeOf(mutations),
      call,
      (seal) => mutations.map((mutation) => attempt(() => this.#sealed(mutation, seal))),
    )
    // The marker last: it is not made for a write that has no key, and what it says is as fresh as can be.
    const written = andThen(prepared, (sealed) =>
      andThen(guard.beforeWrite(call), () => writePrepared(this.#inner, sealed, call)),
    )
    return andThen(written, (results) =>
      results.map((result, i) =>
        isStoreError(result) ? renamed(result, (mutations[i] as Mutation<Bytes>).key) : result,
      ),
    )
  }

  scan(range: ScanRange, call: CallOptions): Pages<Bytes> {
    if (range.gte !== undefined || range.lt !== undefined)
      throw new StoreError('UNSUPPORTED', 'Hashed key names have no order, so a scan cannot take a range.')
    const { stored, known } = this.#parts.naming.storedPrefix(range.prefix)
    const { pageSize, resume } = range
    const prefixes = clearedPrefixes.of(range.facts)
    const named = prefixes?.map((prefix) => this.#parts.naming.storedPrefix(prefix).stored)
    const facts = named && clearedPrefixes.with(named)
    const pages = this.#parts.guard.scan({ prefix: stored, pageSize, resume, values: true, facts }, call)
    return mapPages(pages, (found) => {
      const page = onlyOf(range.prefix, found)
      return this.#parts.vault.openedNamed(
        () => envelopesIn(page),
        call,
        (open) => this.#page(page, range, known, open),
      )
    })
  }

  #page(page: Page<Bytes>, { prefix, values }: ScanRange, known: string, open: OpenNamed): Page<Bytes> {
    const entries = page.entries.flatMap((found) => {
      const entry = this.#listed(found, known, open)
      // A clear of a part of a namespace must not take records for absent that cannot be read now.
      if (isStoreError(entry?.entry) && known !== prefix && mayPass(entry.entry)) throw entry.entry
      // A record that cannot be named is listed wherever it may belong.
      if (entry === undefined || !(entry.key.startsWith(prefix) || storedKey(entry.key) !== undefined))
        return []
      return values || isStoreError(entry.entry) ? [entry] : [{ key: entry.key }]
    })
    return { ...page, entries }
  }

  /** A record of a listing under its true key. Records that went since are left out. */
  #listed(
    { key: stored, entry }: ScanEntry<Bytes>,
    known: string,
    open: OpenNamed,
  ): ScanEntry<Bytes> | undefined {
    if (entry === undefined || stored === markerKey) return undefined
    const unnamed = unnamedKey(known, stored)
    if (isStoreError(entry)) return { key: unnamed, entry: renamed(entry, undefined) }
    const opened = attempt(() => open(stored, entry.value))
    if (isStoreError(opened)) return { key: unnamed, entry: opened }
    // Written under another name key, which a rekey left or just copies: not a part of what this one shows.
    if (attempt(() => this.#parts.naming.stored(opened.key)) !== stored) return { key: unnamed }
    return { key: opened.key, entry: { ...entry, value: opened.value } }
  }

  #result(read: Read, stored: string, result: ReadResult<Bytes>, open: OpenNamed): ReadResult<Bytes> {
    if (isStoreError(result)) return renamed(result, read.key)
    if (!isEntry(result)) return result
    if (read.head === true) {
      const { version, expiresAt, meta } = result
      return { notModified: true, version, expiresAt, meta }
    }
    return attempt(() => {
      const { key, value } = open(stored, result.value)
      if (key !== read.key) throw ofAnotherKey()
      return { ...result, value }
    })
  }

  #sealed(mutation: Mutation<Bytes>, seal: Seal): Mutation<Bytes> {
    if (mutation.type === 'increment')
      throw new StoreError('UNSUPPORTED', 'An encrypted record cannot be incremented: use update.')
    if (mutation.type === 'delete')
      return { ...mutation, key: storedKey(mutation.key) ?? this.#stored(mutation.key) }
    const key = this.#stored(mutation.key)
    if (mutation.type !== 'set') return { ...mutation, key }
    checkBytes(mutation.value)
    if (mutation.value.length > this.#maxValueBytes)
      throw new StoreError(
        'VALUE_TOO_LARGE',
        `The value has ${mutation.value.length} bytes; with hashed key names the store allows ${this.#maxValueBytes}.`,
      )
    return { ...mutation, key, value: seal(key, mutation.value, mutation.key) }
  }

  #stored(key: string): string {
    if (storedKey(key) !== undefined)
      throw new StoreError('INVALID_KEY', 'This record cannot be named: it can only be deleted.')
    if (key.length * 3 > maxTrueKeyBytes && keyBytes(key) > maxTrueKeyBytes)
      throw new StoreError(
        'KEY_TOO_LONG',
        `The key has more than ${maxTrueKeyBytes} bytes with its namespace.`,
      )
    return this.#parts.naming.stored(key)
  }
}

/** Below a prefix of root keys there is nothing of a namespace, and nothing internal: that is told by its stored key. */
function onlyOf(prefix: string, page: Page<Bytes>): Page<Bytes> {
  if (!(prefix.charCodeAt(0) > 1)) return page
  return { ...page, entries: page.entries.filter(({ key }) => key.charCodeAt(0) > 1) }
}

/** Authentic where it lies, and yet of another key: two keys of one name, or made by a holder of the root key. */
function ofAnotherKey(): StoreError {
  return new StoreError(
    'AUTHENTICATION_FAILED',
    'The record under the name of this key belongs to another key. Delete it, or write it again.',
  )
}

/** The same error without the key that the store knows. */
function renamed(error: StoreError, key: string | undefined): StoreError {
  if (error.key === undefined) return error
  const { code, message, operation, store, retryable, version, results } = error
  const cause = 'cause' in error ? { cause: error.cause } : {}
  return new StoreError(code, message, { ...cause, operation, store, retryable, version, results, key })
}
