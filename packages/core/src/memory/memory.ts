import { incremented } from '../adapter/increment.ts'
import type { Bytes } from '../contract/bytes.ts'
import type { Capabilities, DeclaredBy } from '../contract/capabilities.ts'
import { isLive } from '../contract/entry.ts'
import { StoreError } from '../contract/errors.ts'
import type {
  Check,
  Entry,
  Mutation,
  Page,
  Read,
  ReadResult,
  ScanRange,
  Store,
  TogetherChange,
  WriteResult,
} from '../contract/store.ts'
import { compareKeys, keyBytes } from '../keys/canonical-key.ts'
import { named } from '../keys/dataset-of.ts'
import { checkOptions } from '../options/check-options.ts'
import { label, ownClock, positive } from '../options/kinds.ts'
import { type OptionsOf, settingsBy } from '../options/option-table.ts'
import { ExpiryQueue } from './expiry-queue.ts'

const table = {
  /** Most records; the store refuses more with `STORE_FULL`. @default 1,000,000 */
  maxEntries: positive(1_000_000),
  /** Most bytes of keys and values. @default 256 Mi */
  maxBytes: positive(268_435_456),
  /** Wall clock in milliseconds. @default `Date.now` as it was when core was loaded */
  clock: ownClock(),
  /** For errors and reports. @default 'memory' */
  name: label('memory'),
}

/** Settings of the memory store. */
export interface MemoryOptions extends OptionsOf<typeof table> {}

const capabilities = {
  scan: { order: 'bytes', delivery: 'once', prefix: 'filtered', reverse: true },
  conditionalWrite: true,
  conditionalRead: true,
  ttl: { kind: 'lazy', precisionMs: 1 },
  touch: true,
  increment: true,
  existed: true,
  batch: { atomicity: 'all', maxItems: 100_000, maxBytes: 268_435_456, coalesce: false },
  maxKeyBytes: 65_536,
  maxValueBytes: 268_435_456,
  durability: 'memory',
  isolation: 'linearizable',
  consistency: ['strong'],
  evicts: false,
  sealed: false,
  documents: false,
  sync: 'all',
} as const satisfies Capabilities

/** Capabilities of the memory store. */
export interface MemoryCapabilities extends DeclaredBy<typeof capabilities> {}

/** A memory store. `native` is a read-only view of what it holds. */
export type MemoryStore = Store<Bytes, MemoryCapabilities, ReadonlyMap<string, Entry<Bytes>>>

/**
 * Bytes in this process: for tests, and as a cache of bytes. Every verb answers without a promise. It never
 * evicts: when it is full it refuses and keeps everything.
 */
export function memory(options: MemoryOptions = {}): MemoryStore {
  checkOptions('memory', options, table, 'INVALID_CONFIG', { max: 'maxEntries', maxsize: 'maxEntries' })
  const { maxEntries, maxBytes, clock, name } = settingsBy('memory', table, options)
  const records = new Records(maxEntries, maxBytes, clock)
  return {
    name,
    dataset: named(records.entries, 'memory/'),
    capabilities,
    native: records.entries,
    read: (reads) => reads.map((read) => records.read(read)),
    write: (mutations) => records.write(mutations),
    together: (changes, checks) => records.together(changes, checks),
    scan: (range) => ({ [Symbol.iterator]: () => records.scan(range) }),
    close: async () => {},
  }
}

/** The records and their sizes. */
class Records {
  readonly entries = new Map<string, Entry<Bytes>>()
  readonly #maxEntries: number
  readonly #maxBytes: number
  readonly #clock: () => number
  readonly #expiring = new ExpiryQueue()
  #bytes = 0

  constructor(maxEntries: number, maxBytes: number, clock: () => number) {
    this.#maxEntries = maxEntries
    this.#maxBytes = maxBytes
    this.#clock = clock
  }

  read({ key, head, ifNotVersion }: Read): ReadResult<Bytes> {
    const entry = this.#live(key)
    if (entry === undefined) return undefined
    const { version, expiresAt } = entry
    if (head === true || (ifNotVersion !== undefined && version === ifNotVersion))
      return { notModified: true, version, expiresAt }
    return { value: entry.value.slice(), version, expiresAt }
  }

  /** If the batch does not fit as a whole, it changes nothing. */
  write(mutations: readonly Mutation<Bytes>[]): readonly WriteResult[] {
    if (!this.#expiring.isEmpty) this.#sweep()
    const before = mutations.map(({ key }) => [key, this.entries.get(key)] as const)
    try {
      const results = mutations.map((mutation) => this.#apply(mutation))
      if (this.entries.size > this.#maxEntries || this.#bytes > this.#maxBytes) throw full()
      return results
    } catch (error) {
      for (const [key, entry] of before.toReversed()) this.#put(key, entry)
      throw error
    }
  }

  together(changes: readonly TogetherChange<Bytes>[], checks: readonly Check[]): boolean {
    const conditions = [...checks, ...changes.map(({ key, ifVersion }) => ({ key, version: ifVersion }))]
    const holds = conditions.every(({ key, version }) => (this.#live(key)?.version ?? null) === version)
    if (holds) this.write(changes)
    return holds
  }

  *scan({ prefix, gte, lt, reverse, resume, pageSize, values }: ScanRange): Generator<Page<Bytes>> {
    const order = (a: string, b: string) => (reverse === true ? compareKeys(b, a) : compareKeys(a, b))
    const inRange = (key: string) =>
      key.startsWith(prefix) &&
      (gte === undefined || compareKeys(key, gte) >= 0) &&
      (lt === undefined || compareKeys(key, lt) < 0) &&
      (resume === undefined || order(key, resume) > 0)
    const keys = Array.from(this.entries.keys()).filter(inRange).sort(order)
    for (let i = 0; i < keys.length; i += pageSize) {
      const part = keys.slice(i, i + pageSize)
      const entries = part.flatMap((key) =>
        this.#live(key) === undefined ? [] : [{ key, entry: values ? this.#copy(key) : undefined }],
      )
      yield { entries, resume: i + pageSize < keys.length ? part.at(-1) : undefined }
    }
  }

  #apply(mutation: Mutation<Bytes>): WriteResult {
    const { key, version, ifVersion } = mutation
    const there = this.#live(key)
    if (ifVersion !== undefined && ifVersion !== (there?.version ?? null))
      return { conditionFailed: true, version: there?.version }
    if (mutation.type === 'delete') {
      this.#put(key, undefined)
      return { version, existed: there !== undefined }
    }
    if (mutation.type === 'touch') {
      if (there === undefined) return { conditionFailed: true }
      this.#put(key, { ...there, expiresAt: mutation.expiresAt })
      return { version: there.version }
    }
    if (mutation.type === 'increment') return this.#increment(mutation, there)
    const expiresAt = mutation.expiresAt === 'keep' ? there?.expiresAt : mutation.expiresAt
    this.#put(key, { value: copy(mutation.value), version, expiresAt })
    return { version }
  }

  #increment(
    mutation: Mutation<Bytes> & { readonly type: 'increment' },
    there: Entry<Bytes> | undefined,
  ): WriteResult {
    const value = incremented(there?.value, mutation)
    if (typeof value !== 'number') return value
    const expiresAt = there === undefined ? mutation.expiresAt : there.expiresAt
    this.#put(mutation.key, { value: copy(Buffer.from(String(value))), version: mutation.version, expiresAt })
    return { version: mutation.version, value, expiresAt }
  }

  #live(key: string): Entry<Bytes> | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined || entry.expiresAt === undefined || isLive(entry.expiresAt, this.#clock()))
      return entry
    this.#put(key, undefined)
    return undefined
  }

  /** Remove all that has expired: it takes no room of others. */
  #sweep(): void {
    const now = this.#clock()
    for (let one = this.#expiring.due(now); one !== undefined; one = this.#expiring.due(now))
      if (this.entries.get(one.key)?.expiresAt === one.expiresAt) this.#put(one.key, undefined)
  }

  #copy(key: string): Entry<Bytes> | undefined {
    const entry = this.entries.get(key)
    return entry === undefined ? undefined : { ...entry, value: entry.value.slice() }
  }

  #put(key: string, entry: Entry<Bytes> | undefined): void {
    const before = this.entries.get(key)
    if (before !== undefined) this.#bytes -= keyBytes(key) + before.value.length
    if (entry === undefined) {
      this.entries.delete(key)
      return
    }
    this.#bytes += keyBytes(key) + entry.value.length
    this.entries.set(key, entry)
    const { expiresAt } = entry
    if (expiresAt === undefined || expiresAt === before?.expiresAt) return
    this.#expiring.add(
      key,
      expiresAt,
      this.entries.size,
      (one) => this.entries.get(one.key)?.expiresAt === one.expiresAt,
    )
  }
}

/** Bytes of their own: `slice` of a Buffer would be a view of the caller's bytes. Stored bytes are not a Buffer. */
function copy(value: Bytes): Bytes {
  return new Uint8Array(value)
}

function full(): StoreError {
  return new StoreError(
    'STORE_FULL',
    'The memory store is full and evicts nothing. Delete records, or raise maxEntries or maxBytes.',
  )
}
