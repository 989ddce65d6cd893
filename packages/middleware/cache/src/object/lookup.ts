import type { CallOptions, Entry, Read, ReadResult } from '@unikv/core'
import { noteAbsent } from '@unikv/core/adapter'
import type { Counters } from '../cache-stats.ts'
import { asAsked, missing } from '../loads/answer.ts'
import type { Due } from '../loads/due.ts'
import type { StaleEntries } from '../loads/stale-entries.ts'
import { type CachedEntry, entryOf, timed, uncopied } from '../values/cached-entry.ts'
import type { Entries } from './entries.ts'
import { isPlain } from './simple-reads.ts'
import { turnClock } from './turn-clock.ts'

/** Result of a lookup; `missing`: it must be loaded. */
export type AtHand = ReadResult<unknown> | typeof missing

/** Answers reads with what is kept. */
export class Lookup {
  readonly #entries: Entries
  readonly #stale: StaleEntries
  readonly #counters: Counters

  constructor(entries: Entries, stale: StaleEntries, counters: Counters) {
    this.#entries = entries
    this.#stale = stale
    this.#counters = counters
  }

  /** Looks the entry up; `due` learns whether it must be renewed. */
  find(read: Read, call: CallOptions, due: Due): AtHand {
    // A level that is named is one of the store.
    if (call.consistency !== undefined) return missing
    const kept = this.#entries.residents.get(read.key)
    if (kept === undefined) return missing
    if (!isPlain(kept, read)) return this.weigh(kept, read, call, due)
    this.#counters.hits++
    return kept.entry
  }

  /** The same for what is kept. A clock is read for entries that end at some time, and only for them. */
  weigh(kept: CachedEntry, read: Read, call: CallOptions, due: Due): AtHand {
    if (kept.epoch === 0) return this.#hit(kept, read, call)
    if (kept.isVoid || this.#entries.isIdle(kept)) return this.#remove(kept)
    if (this.#entries.isFresh(kept)) {
      if (this.#entries.maker.isDue(kept)) this.#stale.ahead(kept.key, due)
      return this.#hit(kept, read, call)
    }
    this.#ended(kept)
    return this.#stale.whileRenewed(kept, read, call, due) ?? missing
  }

  /** The fresh entry of a key, `null` for one that is known to be absent; with `due` it may be renewed. */
  fresh(key: string, due?: Due): Entry<unknown> | null | undefined {
    const kept = this.#entries.residents.get(key)
    if (kept === undefined || !this.#isGood(kept)) return undefined
    const entry = entryOf(kept)
    if (entry === uncopied) {
      this.#dropUncopied(kept)
      return undefined
    }
    if (due !== undefined && kept.epoch !== 0 && this.#entries.maker.isDue(kept)) this.#stale.ahead(key, due)
    this.#counters.hits++
    this.#entries.used(kept)
    return entry ?? null
  }

  /** A look that loads nothing has missed: an entry that has ended for good goes. */
  missed(key: string): void {
    const kept = this.#entries.residents.peek(key)
    if (kept === undefined || kept.epoch === 0) return
    if (kept.isVoid || this.#entries.isIdle(kept)) this.#remove(kept)
    else if (!this.#entries.isFresh(kept)) this.#ended(kept)
  }

  /** It is no longer fresh. */
  #ended(kept: CachedEntry): void {
    this.#counters.staleHits++
    if (!this.#entries.isOfUse(kept)) this.#expire(kept)
  }

  #isGood(kept: CachedEntry): boolean {
    if (kept.epoch === 0) return true
    return kept.epoch === timed ? kept.freshUntil > turnClock() : this.#entries.isFresh(kept)
  }

  #hit(kept: CachedEntry, read: Read, call: CallOptions): AtHand {
    const asked = asAsked(read, kept.entry) as ReadResult<unknown>
    const found = asked === kept.entry ? entryOf(kept) : asked
    if (found === uncopied) {
      this.#dropUncopied(kept)
      return missing
    }
    this.#counters.hits++
    this.#entries.used(kept)
    if (found === undefined) noteAbsent(call, read.key, this.#entries.meta)
    return found
  }

  /** It was invalidated by a tag, or was not read for too long. */
  #remove(kept: CachedEntry): typeof missing {
    if (kept.isVoid) this.#entries.residents.delete(kept.key, 'removed')
    else this.#expire(kept)
    return missing
  }

  #expire({ key }: CachedEntry): void {
    this.#counters.expirations++
    this.#entries.residents.delete(key, 'expired')
  }

  #dropUncopied({ key }: CachedEntry): void {
    this.#counters.refusals++
    this.#entries.residents.delete(key)
  }
}
