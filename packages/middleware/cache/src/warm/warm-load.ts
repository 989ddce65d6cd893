import { isLive } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import type { CachedEntry } from '../values/cached-entry.ts'
import { Slices } from './slices.ts'
import type { Touched } from './touched.ts'
import type { WarmCache } from './warm-cache.ts'
import { decodeWarmEntries, type WarmEntry } from './warm-entry.ts'
import type { Limits, WarmFiles } from './warm-files.ts'
import type { PlacedWarmSettings } from './warm-options.ts'
import { decodeChunk, type Manifest } from './warm-record.ts'
import type { WarmCounters } from './warm-stats.ts'
import type { WarmValues } from './warm-values.ts'

/** Now, and what is known of the time since the save. */
interface Since {
  readonly manifest: Manifest
  readonly monotonic: number
  readonly wall: number
  /** `undefined` if the clocks do not tell. */
  readonly elapsedMs: number | undefined
}

/** Loads back what was saved, hottest first, as much as there is time and room for. */
export class WarmLoader {
  readonly #cache: WarmCache
  readonly #files: WarmFiles
  readonly #values: WarmValues
  readonly #settings: PlacedWarmSettings
  readonly #counters: WarmCounters

  constructor(
    cache: WarmCache,
    files: WarmFiles,
    values: WarmValues,
    settings: PlacedWarmSettings,
    counters: WarmCounters,
  ) {
    this.#cache = cache
    this.#files = files
    this.#values = values
    this.#settings = settings
    this.#counters = counters
  }

  /**
   * Load into the cache; what is read of a save that is not right is left where it is.
   *
   * @throws {StoreError} of the store
   */
  async load(touched: Touched, limits: Limits): Promise<void> {
    const found: CachedEntry[] = []
    try {
      const manifest = await this.#files.manifest(limits)
      if (manifest === 'refused') this.#counters.refusals++
      else if (manifest !== undefined) await this.#collect(manifest, found, touched, limits)
    } finally {
      await this.#keep(found, touched, limits)
    }
  }

  async #collect(manifest: Manifest, found: CachedEntry[], touched: Touched, limits: Limits): Promise<void> {
    const since = await this.#since(manifest)
    if (since.elapsedMs !== undefined && since.elapsedMs > this.#settings.maxAgeMs) {
      this.#counters.refusals++
      return
    }
    const room = { entries: this.#cache.maxEntries, bytes: this.#cache.maxBytes }
    let loaded = 0
    for (const [index, sum] of manifest.chunks.entries()) {
      loaded += sum.bytes
      if (loaded > this.#settings.maxBytes) return
      const { slot, id } = manifest
      const bytes = await this.#files.chunk({ slot, index }, limits)
      const place = { slot, id, index }
      const chunk =
        bytes === undefined || bytes === 'refused' ? undefined : await decodeChunk(bytes, place, sum)
      if (chunk === undefined) this.#counters.refusals++
      else if (!(await this.#read(chunk, since, found, room, () => isOver(touched, limits)))) return
    }
  }

  /** Whether there is time and room for more. */
  async #read(
    chunk: Buffer,
    since: Since,
    found: CachedEntry[],
    room: { entries: number; bytes: number },
    isEnough: () => boolean,
  ): Promise<boolean> {
    const slices = new Slices()
    for (const entry of decodeWarmEntries(chunk)) {
      if (slices.isOver) await slices.next()
      if (isEnough()) return false
      const kept = await this.#kept(entry, since)
      if (kept === undefined) continue
      room.entries--
      room.bytes -= kept.bytes
      if (room.entries < 0 || room.bytes < 0) return false
      found.push(kept)
    }
    return true
  }

  async #kept(entry: WarmEntry | undefined, since: Since): Promise<CachedEntry | undefined> {
    const { monotonic, elapsedMs } = since
    if (entry === undefined || this.#isTooOld(entry, elapsedMs)) {
      this.#counters.refusals++
      return undefined
    }
    if (hasExpired(entry, since)) return undefined
    const decoded = await this.#values.decode(entry)
    if (decoded === undefined) {
      this.#counters.refusals++
      return undefined
    }
    const { key, version, expiresAt, cost } = entry
    const freshUntil = monotonic + this.#leftOf(entry, since)
    return this.#cache.asCachedEntry(key, { value: decoded.value, version, expiresAt }, freshUntil, cost)
  }

  #isTooOld({ freshForMs }: WarmEntry, elapsedMs: number | undefined): boolean {
    return elapsedMs !== undefined && elapsedMs + Math.max(0, -freshForMs) > this.#settings.maxAgeMs
  }

  /** How long it is fresh still; below 0: for how long it has not been. Never more than it had left at the save. */
  #leftOf({ freshForMs }: WarmEntry, { elapsedMs, manifest }: Since): number {
    if (elapsedMs === undefined) return Number.NEGATIVE_INFINITY
    const mayBeFresh = this.#settings.resume === 'fresh' && manifest.freshForMs !== Number.POSITIVE_INFINITY
    if (!mayBeFresh) return Math.min(0, freshForMs) - elapsedMs
    const shorterBy = Math.max(0, manifest.freshForMs - this.#cache.freshForMs)
    return Math.min(freshForMs, manifest.freshForMs) - elapsedMs - shorterBy
  }

  async #since(manifest: Manifest): Promise<Since> {
    const { monotonicClock, clock } = this.#cache
    // In this order: what passes between them is taken off the freshness of entries.
    const monotonic = monotonicClock()
    const uptime = await this.#settings.uptime()
    const wall = clock()
    const byWall = wall - manifest.savedAt
    const isSameBoot = uptime !== undefined && uptime.boot === manifest.boot
    const byUptime = isSameBoot ? uptime.ms - manifest.uptimeMs : 0
    // A clock that was set back may hide that time has passed; one that was set forward only makes entries older.
    const isKnown = byWall >= 0 && byUptime >= 0
    return { manifest, monotonic, wall, elapsedMs: isKnown ? Math.max(byWall, byUptime) : undefined }
  }

  /** The hottest last, so that it makes room last. */
  async #keep(found: readonly CachedEntry[], touched: Touched, { signal }: Limits): Promise<void> {
    const slices = new Slices()
    for (const kept of found.toReversed()) {
      if (slices.isOver) await slices.next()
      if (signal.aborted || touched.isAll) return
      if (this.#cache.restore(kept)) this.#counters.loaded++
    }
  }
}

/** Whether there is nothing more to be done, or no time for it. */
function isOver(touched: Touched, { signal, deadlineAt }: Limits): boolean {
  return touched.isAll || signal.aborted || performance.now() > deadlineAt
}

/** Compares with the wall clock, and with the time that has passed since the save. */
function hasExpired({ expiresAt }: WarmEntry, { wall, elapsedMs, manifest }: Since): boolean {
  if (expiresAt === undefined) return false
  return !isLive(expiresAt, wall) || expiresAt - manifest.savedAt <= (elapsedMs ?? 0)
}
