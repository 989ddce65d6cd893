import type { BusStats } from './bus/bus-link.ts'
import type { WarmStats } from './warm/warm-stats.ts'

/** Statistics of a cache since it was created: plain numbers, without keys. */
export interface CacheStats {
  /** Name of the tier. */
  readonly tier: string
  /** Reads that the tier answered, *absent* among them. */
  readonly hits: number
  /** Reads that it could not answer. */
  readonly misses: number
  /** Reads that the load of another reader answered. */
  readonly joins: number
  /** Reads that asked for `'strong'` and so passed by. */
  readonly bypasses: number
  /** Share of the hits in hits, misses and joins, from 0 to 1; 0 before the first. */
  readonly hitRate: number
  /** Misses (and bypasses) that found an entry which was no longer fresh. */
  readonly staleHits: number
  /** Reads that were answered with an entry that was no longer fresh, and marked so. */
  readonly staleAnswers: number
  /** Loads that were begun behind a hit, before its entry ended (`refreshAhead`). */
  readonly refreshes: number
  /** Values that were kept as they were written (`onWrite: 'through'`). */
  readonly writeFills: number
  /** Keys that were asked of what lies below. */
  readonly loads: number
  /** Milliseconds that loads took in all, key by key: divided by `loads` it is the mean. */
  readonly loadMs: number
  /** Loads that were answered *not modified*, so that no body travelled. */
  readonly revalidations: number
  /** Loads that failed. */
  readonly failures: number
  /** Entries that made room for others. */
  readonly evictions: number
  /** Reads that found an entry which had ended for good: neither fresh nor kept for anything. Not those that a cache store removed. */
  readonly expirations: number
  /** Values that were not kept: too large, or neither to be frozen nor copied. */
  readonly refusals: number
  /** Reads that found a key which another process was loading, and waited for it. In-process caches: 0. */
  readonly leaseWaits: number
  /** Leases taken: rights to fill a key. In-process caches: 0. */
  readonly leases: number
  /** Fills that were not made, as a write had voided their leases. In-process caches: 0. */
  readonly voids: number
  /** Keys whose write ended while the cache store did not confirm that what lay there before is void. In-process caches: 0. */
  readonly unmarkedWrites: number
  /** Calls of the cache store that failed (or items of them), and values that were not cache records. In-process caches: 0. */
  readonly storeErrors: number
  /** Entries now; `undefined` if the tier is a store. */
  readonly entries: number | undefined
  /** Bytes now, as accounted for; `undefined` if the tier is a store. */
  readonly bytes: number | undefined
  /** Statistics of the bus, with `bus` only; over all stacks that the cache is in, and was in. */
  readonly bus?: BusStats | undefined
  /** Only for a cache with `warm`. */
  readonly warm?: WarmStats | undefined
}

/** The counters behind `CacheStats`. */
export type Counters = {
  -readonly [K in Exclude<
    keyof CacheStats,
    'tier' | 'hitRate' | 'entries' | 'bytes' | 'bus' | 'warm'
  >]: number
}

/** Counters at 0. */
export function newCounters(): Counters {
  return {
    hits: 0,
    misses: 0,
    joins: 0,
    bypasses: 0,
    staleHits: 0,
    staleAnswers: 0,
    refreshes: 0,
    writeFills: 0,
    loads: 0,
    loadMs: 0,
    revalidations: 0,
    failures: 0,
    evictions: 0,
    expirations: 0,
    refusals: 0,
    leaseWaits: 0,
    leases: 0,
    voids: 0,
    unmarkedWrites: 0,
    storeErrors: 0,
  }
}

/** Plain data of the counters and of what is kept now. */
export function statsOf(
  tier: string,
  counters: Counters,
  size?: { readonly entries: number; readonly bytes: number },
): CacheStats {
  const { hits, misses, joins } = counters
  const reads = hits + misses + joins
  const hitRate = reads === 0 ? 0 : hits / reads
  return { tier, ...counters, hitRate, entries: size?.entries, bytes: size?.bytes }
}
