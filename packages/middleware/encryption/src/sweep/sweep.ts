import {
  type Awaitable,
  type Bytes,
  type CallOptions,
  type Entry,
  type ErrorCode,
  isConditionFailed,
  isEntry,
  isStoreError,
  newVersion,
  type Page,
  type ScanEntry,
  type SetMutation,
  type Store,
  StoreError,
  toStoreError,
} from '@unikv/core'
import { attempt, type Call, inParallel, within } from '@unikv/core/adapter'
import { isEnvelope, readHeader } from '../envelope/envelope.ts'
import type { OpenEither } from '../envelope/opener.ts'
import type { SealedLayer } from '../layer/sealed-layers.ts'
import { pastCaches } from '../past-caches.ts'
import { strongLevel } from '../strong-level.ts'
import type { ReencryptReport } from './reencrypt-options.ts'

/** How often a record is looked at again that others write, or whose write has an unknown outcome. */
const maxRounds = 8

/** Resolved settings of a sweep. */
export interface SweepSettings {
  readonly concurrency: number
  readonly pageSize: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly dryRun: boolean
}

/** The outcome for one record. */
type Deed = 'rewritten' | 'skipped'

/** One walk over the raw records below an encryption layer. */
export class Sweep {
  readonly #layer: SealedLayer
  readonly #inner: Store<Bytes>
  readonly #settings: SweepSettings
  readonly #counts = { scanned: 0, rewritten: 0, skipped: 0, failed: 0 }
  readonly #failures = new Map<ErrorCode, number>()
  readonly #keys = new Map<string, number>()

  constructor(place: SealedLayer & { readonly inner: Store<Bytes> }, settings: SweepSettings) {
    this.#layer = place
    this.#inner = place.inner
    this.#settings = settings
  }

  /** Look at page after page, from a position of the scan on; gives the position after each. */
  async *pages(resume: string | undefined): AsyncGenerator<string | undefined> {
    const { pageSize, concurrency } = this.#settings
    const range = { prefix: '', pageSize, values: true, resume }
    const call = this.#call()
    const pages = this.#inner.scan(range, call)
    const iterator = Symbol.asyncIterator in pages ? pages[Symbol.asyncIterator]() : pages[Symbol.iterator]()
    try {
      for (
        let page = await this.#next(iterator, call);
        page !== undefined;
        page = await this.#next(iterator, call)
      ) {
        await inParallel(page.entries, concurrency, (found) => this.#look(found))
        this.#refuseAborted()
        yield page.resume
      }
    } finally {
      void iterator.return?.()
    }
  }

  /** The work done so far. */
  report(cursor: string | undefined): ReencryptReport {
    return {
      ...this.#counts,
      failures: Object.fromEntries(this.#failures),
      keys: Object.fromEntries(this.#keys),
      cursor,
    }
  }

  /** The next page, within its deadline. */
  async #next(
    iterator: AsyncIterator<Page<Bytes>> | Iterator<Page<Bytes>>,
    call: Call,
  ): Promise<Page<Bytes> | undefined> {
    call.renew(this.#settings.timeoutMs)
    return attempt(call, false, async () => {
      const { done, value }: IteratorResult<Awaitable<Page<Bytes>>, unknown> = await iterator.next()
      // A layer that answers later, over a store that answers at once, gives a promise of a page.
      return done === true ? undefined : value
    })
  }

  async #look({ key, entry }: ScanEntry<Bytes>): Promise<void> {
    // After the caller has ended a sweep, no further record of the page is written.
    if (this.#settings.signal?.aborted === true || key === this.#layer.ownKey) return
    this.#counts.scanned++
    try {
      if (isStoreError(entry)) throw entry
      const deed = entry === undefined ? 'skipped' : await this.#treat(key, entry)
      this.#counts[deed]++
    } catch (error) {
      const { code } = toStoreError(error, {})
      if (code === 'ABORTED') return
      this.#counts.failed++
      this.#failures.set(code, (this.#failures.get(code) ?? 0) + 1)
    }
  }

  async #treat(key: string, first: Entry<Bytes>): Promise<Deed> {
    count(this.#keys, isEnvelope(first.value) ? readHeader(first.value).keyId : '')
    let entry: Entry<Bytes> | undefined = first
    for (let round = 0; round < maxRounds; round++) {
      if (entry === undefined || this.#isCurrent(entry.value)) return 'skipped'
      if (this.#settings.dryRun) {
        await this.#open(key, entry.value, this.#call())
        return 'rewritten'
      }
      if (await this.#rewrite(key, entry)) return 'rewritten'
      entry = await this.#read(key)
    }
    throw new StoreError('OVERLOADED', 'Other writers kept changing the record. Run the sweep again.')
  }

  #isCurrent(value: Bytes): boolean {
    const { vault, takesPlain } = this.#layer
    return (isEnvelope(value) || !takesPlain) && vault.isCurrent(value)
  }

  /** Whether the record is sealed again now; not if another one stands there, or if that cannot be known. */
  async #rewrite(key: string, entry: Entry<Bytes>): Promise<boolean> {
    const call = this.#call()
    const { conditionalWrite, ttl } = this.#inner.capabilities
    if (conditionalWrite && entry.version === undefined)
      throw new StoreError('UNSUPPORTED', 'A record without a version cannot be written conditionally.')
    const plain = await this.#open(key, entry.value, call)
    const size = { messages: 1, bytes: plain.value.length }
    const value = await this.#layer.vault.sealed(
      () => size,
      call,
      (seal) => seal(key, plain.value, plain.key),
    )
    // The same version: it is the same value.
    const version = entry.version ?? newVersion()
    const ifVersion = conditionalWrite ? entry.version : undefined
    const expiresAt = ttl === false ? undefined : ('keep' as const)
    return this.#write({ type: 'set', key, value, version, expiresAt, ifVersion }, call)
  }

  async #write(mutation: SetMutation<Bytes>, call: CallOptions): Promise<boolean> {
    try {
      const [result] = await attempt(call, true, async () => this.#inner.write([mutation], call))
      if (isStoreError(result)) throw result
      return result !== undefined && !isConditionFailed(result)
    } catch (error) {
      // It is looked at again.
      if (isStoreError(error) && error.code === 'OUTCOME_UNKNOWN') return false
      throw error
    }
  }

  async #open(key: string, value: Bytes, call: CallOptions): Promise<ReturnType<OpenEither>> {
    if (this.#layer.takesPlain && !isEnvelope(value)) return { key: undefined, value }
    return this.#layer.vault.openedEither(
      () => [value],
      call,
      (open) => open(key, value),
    )
  }

  async #read(key: string): Promise<Entry<Bytes> | undefined> {
    // A copy in a cache below may have the same version, and differ from the record in the store.
    const call = pastCaches(this.#call(), strongLevel(this.#inner))
    const result = await attempt(call, false, async () => (await this.#inner.read([{ key }], call))[0])
    if (isStoreError(result)) throw result
    return isEntry(result) ? result : undefined
  }

  #call(): Call {
    const { timeoutMs, signal } = this.#settings
    return within(timeoutMs, { signal })
  }

  #refuseAborted(): void {
    const { signal } = this.#settings
    if (signal?.aborted !== true) return
    const { rewritten: done } = this.#counts
    const message = `The sweep was aborted; ${done} records were rewritten before.`
    throw new StoreError('ABORTED', message, { operation: 'reencrypt', cause: signal.reason, done })
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
