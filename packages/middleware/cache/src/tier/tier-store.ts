import {
  type Awaitable,
  type Bytes,
  type CallOptions,
  compose,
  isEntry,
  isNotModified,
  isPromise,
  isStoreError,
  type Mutation,
  newVersion,
  type Page,
  type Pages,
  type Read,
  type ReadResult,
  type Store,
  StoreError,
  type Version,
  type WriteResult,
} from '@unikv/core'
import {
  callOptions,
  itemBytes,
  keyBytes,
  namespacePrefix,
  releaseStore,
  split,
  writeResults,
} from '@unikv/core/adapter'
import { clearTimeout, performance, Silence, setTimeout } from '@unikv/core/platform'
import type { Counters } from '../cache-stats.ts'
import { Failure } from '../loads/answer.ts'
import type { PlacedSettings } from '../store-cache-options.ts'
import { type CacheRecord, decodeCacheRecord, encodeCacheRecord } from './cache-record.ts'
import { seenIn } from './seen.ts'
import { type Slot, untouched } from './slot.ts'
import { bare, stamped } from './stamped-slot.ts'
import { StoredTags } from './stored-tags.ts'
import { TierWait } from './tier-wait.ts'

/** Records of a page that are voided together. */
const clearedAtOnce = 500
const longestCloseMs = 1_000

/** A cache store as its tier uses it: nothing waits longer than `timeoutMs`, and errors are counted. */
export class TierStore {
  readonly #store: Store<Bytes>
  readonly #prefix: string
  readonly #settings: PlacedSettings
  readonly #counters: Counters
  readonly #level: string | undefined
  readonly tags: StoredTags | undefined

  constructor(settings: PlacedSettings, counters: Counters) {
    this.#store = compose(settings.store, []) as Store<Bytes>
    this.#prefix = namespacePrefix([settings.namespace])
    this.#settings = settings
    this.#counters = counters
    const { isolation, consistency, ttl } = this.#store.capabilities
    const { tags } = settings
    this.tags = tags && new StoredTags(tags, this.#prefix, { ...settings, expires: ttl !== false })
    this.#level = isolation !== 'linearizable' && consistency.includes('strong') ? 'strong' : undefined
  }

  /** A longer key than the cache store takes is simply not cached. */
  takes(key: string): boolean {
    const { maxKeyBytes } = this.#store.capabilities
    const length = this.#prefix.length + key.length
    return length * 3 <= maxKeyBytes || keyBytes(this.#prefix + key) <= maxKeyBytes
  }

  /** The slots of keys, read in one call. Never rejects. */
  async read(keys: readonly string[], wait: TierWait): Promise<readonly (Slot | Failure)[]> {
    return this.#read(keys, undefined, undefined, wait)
  }

  /**
   * The same with what the tags of the keys say, in the same call: a record that they have voided counts as missing.
   * `known`: versions of records that need not be sent again.
   */
  async find(
    keys: readonly string[],
    known: readonly (Version | undefined)[],
    wait: TierWait,
  ): Promise<readonly (Slot | Failure)[]> {
    return this.#read(keys, known, this.tags, wait)
  }

  async #read(
    keys: readonly string[],
    known: readonly (Version | undefined)[] | undefined,
    tags: StoredTags | undefined,
    wait: TierWait,
  ): Promise<readonly (Slot | Failure)[]> {
    if (keys.length === 0) return []
    const conditional = this.#store.capabilities.conditionalRead
    const reads: Read[] = keys.map((key, i) => ({
      key: this.#prefix + key,
      ifNotVersion: conditional ? known?.[i] : undefined,
    }))
    const tagKeys = tags && keys.map((key) => tags.of(key))
    const ofTags = Array.from(new Set(tagKeys?.flatMap((of) => of ?? [])))
    for (const key of ofTags) reads.push({ key })
    try {
      if (wait.isSpent) throw silent()
      const results = await this.bounded((call) => this.#readParts(reads, call), wait)
      const slots = keys.map((_, i) => this.#slotOf(results[i]))
      if (tagKeys === undefined) return slots
      const found = new Map(ofTags.map((key, i) => [key, results[keys.length + i]]))
      return slots.map((slot, i) => this.#stamped(slot, tagKeys[i], found))
    } catch (error) {
      const failure = this.failure(error)
      return keys.map(() => failure)
    }
  }

  /** The mutation that puts a record in place; `undefined`, and counted, if it does not fit. */
  put(key: string, record: CacheRecord, ifVersion?: Version | null): Mutation<Bytes> | undefined {
    const value = encodeCacheRecord(record)
    const { ttl, maxValueBytes } = this.#store.capabilities
    if (value === undefined || value.length > maxValueBytes) {
      this.#counters.refusals++
      return undefined
    }
    const ends = this.#endOf(record)
    const expiresAt = ttl !== false && ends < 2 ** 48 ? Math.ceil(ends) : undefined
    const version = newVersion(this.#settings.clock())
    return { type: 'set', key: this.#prefix + key, value, version, expiresAt, ifVersion }
  }

  /** The mutation that removes a record. */
  remove(key: string, ifVersion?: Version | null): Mutation<Bytes> {
    return { type: 'delete', key: this.#prefix + key, version: newVersion(this.#settings.clock()), ifVersion }
  }

  /** The failure of a write as a whole is that of each item, so that this never rejects. */
  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    const parts = this.#cut(mutations).map((part) => this.#write(part, call))
    return parts.length === 1
      ? (parts[0] as Promise<readonly WriteResult[]>)
      : (await Promise.all(parts)).flat()
  }

  async #write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    try {
      const results = writeResults(
        await this.#store.write(mutations, call),
        mutations.length,
        this.#store.name,
      )
      this.#counters.storeErrors += results.filter((result) => isStoreError(result)).length
      return results
    } catch (error) {
      this.#counters.storeErrors++
      const failure = isStoreError(error)
        ? error
        : new StoreError('OUTCOME_UNKNOWN', 'The cache store failed.', { cause: error })
      return mutations.map(() => failure)
    }
  }

  /**
   * The results of a write, or `undefined` for each if there were none in time. Where no caller can wait any more it is
   * sent all the same. Never rejects.
   */
  async writeInTime(
    mutations: readonly Mutation<Bytes>[],
    wait: TierWait,
  ): Promise<readonly (WriteResult | undefined)[]> {
    if (mutations.length === 0) return []
    const isSpent = wait.isSpent
    const written = this.bounded(
      (call) => this.write(mutations, call),
      isSpent ? new TierWait() : wait,
    ).catch((error: unknown) => {
      this.failure(error)
      return mutations.map(() => undefined)
    })
    return isSpent ? mutations.map(() => undefined) : written
  }

  /** Wait for at most `timeoutMs`, and as `wait` says. A call that has not started by then never starts. */
  async bounded<T>(run: (call: CallOptions) => Awaitable<T>, wait: TierWait): Promise<T> {
    const ms = wait.within(this.#settings.timeoutMs)
    const call = callOptions({ deadlineAt: performance.now() + ms, consistency: this.#level })
    const answer = run(call)
    if (!isPromise(answer)) return answer
    let silence: Silence | undefined
    const late = new Promise<never>((_resolve, reject) => {
      // As with all deadlines: what is waited for holds the process, or nothing does.
      silence = new Silence(ms, () => {
        call.settled = true
        wait.spend()
        reject(silent())
      }).unref()
    })
    try {
      return await Promise.race([answer, late])
    } finally {
      silence?.end()
    }
  }

  /**
   * Keys of records that start so, page by page, without the prefix of the cache.
   *
   * @throws {StoreError} of the store, or if it cannot list
   */
  async *keys(prefix: string, wait: TierWait): AsyncGenerator<readonly string[]> {
    const { scan } = this.#store.capabilities
    if (scan === false) throw new StoreError('UNSUPPORTED', 'This cache store cannot list its records.')
    const range = { prefix: this.#prefix + prefix, pageSize: clearedAtOnce, values: false }
    const pages = flow(this.#store.scan(range, callOptions({ consistency: this.#level })))
    while (true) {
      if (wait.isSpent) throw silent()
      const next = await this.bounded(() => pages.next(), wait)
      if (next.done === true) return
      yield next.value.entries.map(({ key }) => key.slice(this.#prefix.length))
    }
  }

  /** Count an error. */
  failure(error: unknown): Failure {
    this.#counters.storeErrors++
    return new Failure(error)
  }

  /** When this work has ended, close the store, unless another stack keeps something in it. Both take `longestCloseMs` at most. */
  async close(work: Promise<unknown> = Promise.resolve()): Promise<void> {
    await soon(work)
    await soon(releaseStore(this.#settings.store))
  }

  async #readParts(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    const parts = this.#cut(reads)
    if (parts.length === 1) return this.#store.read(reads, call)
    return (await Promise.all(parts.map(async (part) => this.#store.read(part, call)))).flat()
  }

  /** In parts that the store takes: the batches of a stack are as large as its own store takes. */
  #cut<T extends Read | Mutation<Bytes>>(items: readonly T[]): readonly (readonly T[])[] {
    return split(items, this.#store.capabilities.batch, itemBytes)
  }

  #endOf({ entry, freshUntil, hold }: CacheRecord): number {
    const keptUntil = freshUntil + (entry === undefined ? 0 : this.#settings.keepForMs)
    const ends = Math.min(keptUntil, entry?.expiresAt ?? Number.POSITIVE_INFINITY)
    return Math.max(ends, hold?.until ?? 0)
  }

  /** A key whose tags cannot be told is answered and not kept. */
  #stamped(
    slot: Slot | Failure,
    tagKeys: readonly string[] | undefined,
    found: ReadonlyMap<string, ReadResult<Bytes>>,
  ): Slot | Failure {
    if (tagKeys === undefined) this.#counters.refusals++
    if (slot instanceof Failure) return slot
    const failed = tagKeys?.map((key) => found.get(key)).find((one) => isStoreError(one))
    return failed === undefined ? stamped(slot, tagKeys && seenIn(tagKeys, found)) : this.failure(failed)
  }

  #slotOf(result: ReadResult<Bytes>): Slot | Failure {
    if (result === undefined) return { record: undefined, version: null }
    if (isStoreError(result)) return this.failure(result)
    if (isNotModified(result)) return { record: undefined, version: result.version, unchanged: true }
    if (!isEntry(result)) return untouched
    try {
      const record = decodeCacheRecord(result.value)
      const isOurs = record.stamp === undefined || this.tags !== undefined
      return { record: isOurs ? record : bare(record), version: result.version }
    } catch (error) {
      this.failure(error)
      return { record: undefined, version: result.version }
    }
  }
}

async function* flow<V>(pages: Pages<V>): AsyncGenerator<Page<V>> {
  yield* pages
}

function silent(): StoreError {
  return new StoreError('TIMEOUT', 'The cache store did not answer in time.')
}

/** Wait for work, but no longer than `longestCloseMs`. */
async function soon(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, longestCloseMs)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
