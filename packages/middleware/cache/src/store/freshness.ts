import { type Bytes, type Entry, isLive, type ReadMeta } from '@unikv/core'
import type { Answer, Found } from '../loads/answer.ts'
import type { StoreCacheSettings } from '../store-cache-options.ts'
import type { CacheRecord } from '../tier/cache-record.ts'

/** The possible uses of a record, by the clock and the settings of this process. */
export class Freshness {
  readonly #settings: StoreCacheSettings
  /** Metadata of answers of this tier. */
  readonly meta: ReadMeta
  readonly #staleMeta: ReadMeta

  constructor(settings: StoreCacheSettings) {
    this.#settings = settings
    this.meta = Object.freeze({ tier: settings.tier })
    this.#staleMeta = Object.freeze({ tier: settings.tier, stale: true })
  }

  /** The answer that a record gives, if it is fresh. */
  answer(record: CacheRecord | undefined): Answer | undefined {
    if (record === undefined || record.hold?.by === 'writer') return undefined
    const now = this.#settings.clock()
    const { entry, freshUntil } = record
    if (!this.#isFresh(freshUntil, entry === undefined)) return undefined
    if (entry === undefined) return { result: undefined }
    return isLive(entry.expiresAt, now) ? { result: { ...entry, meta: this.meta } } : undefined
  }

  /** Longer than would be promised here: the clock was set back, or another process promises more. */
  isFresh(freshUntil: number): boolean {
    return this.#isFresh(freshUntil, false)
  }

  #isFresh(freshUntil: number, isAbsent: boolean): boolean {
    const { clock, freshForMs, absentForMs } = this.#settings
    const now = clock()
    return now < freshUntil && freshUntil - now <= (isAbsent ? Math.max(absentForMs, freshForMs) : freshForMs)
  }

  /** The answer that a record gives while it is renewed. */
  whileRenewed(record: CacheRecord | undefined): Answer | undefined {
    const { staleWhileRevalidateMs, background } = this.#settings
    return background === undefined ? undefined : this.#stale(record, staleWhileRevalidateMs)
  }

  /** The answer that a record gives where the source fails. */
  ifError(record: CacheRecord | undefined): Answer | undefined {
    return this.#stale(record, this.#settings.staleIfErrorMs)
  }

  /** Whether a reader is answered with a stale entry of this cache. */
  isStale(result: Found): boolean {
    return (result as Partial<Entry<Bytes>> | undefined)?.meta === this.#staleMeta
  }

  /** The entry of a record that is no longer fresh, if it is still kept. */
  kept(record: CacheRecord | undefined): Entry<Bytes> | undefined {
    if (record?.entry === undefined) return undefined
    const { clock, keepForMs } = this.#settings
    const now = clock()
    return isLive(record.entry.expiresAt, now) && now < record.freshUntil + keepForMs
      ? record.entry
      : undefined
  }

  /** The same record, no longer fresh. */
  ended(record: CacheRecord | undefined): CacheRecord | undefined {
    return record && { ...record, freshUntil: Math.min(record.freshUntil, this.#settings.clock()) }
  }

  #stale(record: CacheRecord | undefined, forMs: number): Answer | undefined {
    if (forMs === 0 || record?.entry === undefined || record.hold?.by === 'writer') return undefined
    const { entry, freshUntil } = record
    const now = this.#settings.clock()
    // A clock that was set back makes nothing younger.
    const isYoung = now < freshUntil + forMs && freshUntil - now <= this.#settings.freshForMs
    return isYoung && isLive(entry.expiresAt, now)
      ? { result: { ...entry, meta: this.#staleMeta } }
      : undefined
  }
}
