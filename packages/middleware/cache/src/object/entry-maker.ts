import { agingClock } from '@unikv/core/platform'
import type { Own } from '../loads/loading.ts'
import { freshEnd, RefreshAhead } from '../loads/refresh-ahead.ts'
import type { ObjectCacheSettings } from '../object-cache-options.ts'
import type { TagTable } from '../tags/tag-table.ts'
import { TaggedEntry } from '../tags/tagged-entry.ts'
import { CachedEntry, MeasuredEntry, untrusted, type Weight } from '../values/cached-entry.ts'

const leastLoadMs = 0.001
/** Entries that end sooner are compared with the clock itself, not with the clock of the turn. */
const leastTimedMs = 1_000

/** When a load was made, and for how long what it brought is fresh. */
export interface Times {
  /** Monotonic. */
  readonly askedAt: number
  readonly freshForMs: number
  readonly absentForMs: number
  /** Whether the call or the loader said how long it is fresh. */
  readonly isOwn: boolean
  /** Whether it was asked of what lies below, so that its time is that of a load. */
  readonly isLoad: boolean
  /** Epoch of the bus in which it was begun, if there is a bus. */
  readonly epoch: number | undefined
  /** When it was begun, in the order of invalidations of tags. */
  readonly born: number
  /** That were told of what it brings. */
  readonly tags: readonly string[] | undefined
}

/** The moment at which something begins. */
export type Beginning = Pick<Times, 'epoch' | 'born'>

/** Parts of an entry that will be kept. */
export interface Makings {
  readonly key: string
  readonly entry: CachedEntry['entry']
  readonly copy: CachedEntry['copy']
  readonly weight: Weight
  readonly tags?: readonly string[] | undefined
}

/** Makes what a cache keeps, with the times at which it ends and at which it is renewed. */
export class EntryMaker {
  readonly #settings: ObjectCacheSettings
  readonly #table: TagTable
  readonly #ahead: RefreshAhead | undefined
  /** Whether nothing but the time of a turn decides about a hit. */
  readonly #isTimed: boolean
  /** Whether unread entries end. */
  readonly isSliding: boolean

  constructor(settings: ObjectCacheSettings, table: TagTable) {
    const { beta, random, background, idleForMs } = settings
    this.isSliding = idleForMs !== Number.POSITIVE_INFINITY
    this.#settings = settings
    this.#table = table
    this.#isTimed = settings.monotonicClock === agingClock && beta === 0 && !this.isSliding
    // Without background work, the reader that comes at the end loads.
    if (beta > 0 && background !== undefined) this.#ahead = new RefreshAhead(beta, random)
  }

  /** Times of a load that begins now, with those of its own before those of the cache. */
  times(own: Own | undefined, { epoch, born }: Beginning, isLoad = false): Times {
    const askedAt = this.#settings.monotonicClock()
    const freshForMs = own?.freshForMs ?? this.#settings.freshForMs
    const absentForMs = own?.absentForMs ?? this.#settings.absentForMs
    const isOwn = own?.freshForMs !== undefined
    return {
      askedAt,
      freshForMs,
      absentForMs,
      isOwn,
      isLoad,
      epoch,
      born: own?.born ?? born,
      tags: own?.tags,
    }
  }

  /** The times of a load that said some of its own meanwhile. */
  own(times: Times, own: Own | undefined): Times {
    if (own === undefined) return times
    const { freshForMs = times.freshForMs, absentForMs = times.absentForMs, tags = times.tags } = own
    return { ...times, freshForMs, absentForMs, tags, isOwn: times.isOwn || own.freshForMs !== undefined }
  }

  /** Cost of an entry for the policy. */
  cost(bytes: number, { askedAt }: Times): number {
    const { cost, monotonicClock } = this.#settings
    if (cost === 'same') return 1
    // A clock may stand still for as long as a load takes.
    return cost === 'bytes' ? bytes : Math.max(leastLoadMs, monotonicClock() - askedAt)
  }

  make(makings: Makings, times: Times): CachedEntry {
    const { askedAt, isLoad } = times
    const forMs = makings.entry === undefined ? times.absentForMs : times.freshForMs
    const freshUntil = Math.min(freshEnd(askedAt, forMs, this.#settings), this.#expiryOf(makings.entry))
    const made = this.#made(makings, freshUntil, times)
    if (this.isSliding) made.usedAt = this.#settings.monotonicClock()
    if (this.#ahead === undefined || !(made instanceof MeasuredEntry)) return made
    if (isLoad) made.loadMs = this.#settings.monotonicClock() - askedAt
    this.#ahead.measured(made.loadMs)
    return made
  }

  /** The same, but no longer fresh. */
  ended(kept: CachedEntry): CachedEntry {
    const { key, entry, copy, bytes, cost, tags } = kept
    const born = kept instanceof TaggedEntry ? kept.born : 0
    const freshUntil = Math.min(kept.freshUntil, this.#settings.monotonicClock())
    // With a bus, an entry may stand in until the bus stopped vouching for it.
    const epoch = kept.epoch > 0 ? kept.epoch : untrusted
    const times = { epoch, born, askedAt: freshUntil }
    const made = this.#made({ key, entry, copy, weight: { bytes, cost }, tags }, freshUntil, times)
    made.usedAt = kept.usedAt
    return made
  }

  /** The expiry of a record by the monotonic clock, which is never set back. */
  #expiryOf(entry: CachedEntry['entry']): number {
    if (entry?.expiresAt === undefined) return Number.POSITIVE_INFINITY
    const { clock, monotonicClock } = this.#settings
    return monotonicClock() + entry.expiresAt - clock()
  }

  #made(
    { key, entry, copy, weight, tags }: Makings,
    freshUntil: number,
    { epoch, born, askedAt }: Pick<Times, 'epoch' | 'born' | 'askedAt'>,
  ): CachedEntry {
    if (tags !== undefined) {
      // So that a hit looks at it, also if it never ends.
      const life = { freshUntil, epoch: epoch ?? untrusted, tags, table: this.#table, born }
      return new TaggedEntry(key, entry, copy, weight, life)
    }
    // So that a hit looks at it, also if it never ends.
    const seen = this.isSliding ? (epoch ?? untrusted) : epoch
    const life = { freshUntil, epoch: seen, isTimed: this.#isTimed && freshUntil - askedAt >= leastTimedMs }
    return this.#ahead === undefined
      ? new CachedEntry(key, entry, copy, weight, life)
      : new MeasuredEntry(key, entry, copy, weight, life)
  }

  /** Whether a fresh entry should be renewed, by chance. */
  isDue(kept: CachedEntry): boolean {
    if (this.#ahead === undefined) return false
    const loadMs = kept instanceof MeasuredEntry ? kept.loadMs : 0
    return this.#ahead.isDue(this.#settings.monotonicClock(), kept.freshUntil, loadMs)
  }
}
