import { isLive } from '@unikv/core'
import { performance } from '@unikv/core/platform'
import type { CachedEntry } from '../values/cached-entry.ts'
import { Slices } from './slices.ts'
import type { UptimeReading } from './uptime.ts'
import type { WarmCache } from './warm-cache.ts'
import { encodeWarmEntry } from './warm-entry.ts'
import type { Limits, WarmFiles } from './warm-files.ts'
import { chunkBytesOf, mostNameBytes, type PlacedWarmSettings } from './warm-options.ts'
import {
  type ChunkSum,
  chunkHeaderBytes,
  encodeChunk,
  hashOf,
  type Manifest,
  manifestBytes,
  mostChunks,
  newSaveId,
} from './warm-record.ts'
import type { WarmCounters } from './warm-stats.ts'
import type { WarmValues } from './warm-values.ts'

/** Result of a save. */
export interface WarmSaved {
  readonly entries: number
  /** Length of the chunks. */
  readonly bytes: number
}

/** A value that takes so many times a chunk in the heap has no room in one. */
const mostHeapRatio = 8

/** When a save was made, by all clocks. */
interface Moment {
  readonly wall: number
  readonly monotonic: number
  readonly uptime: UptimeReading | undefined
}

/**
 * Saves the hottest part of a cache: chunks in the slot that the last manifest does not tell of, then a manifest that
 * tells of them. Until that is written the last save is untouched; its chunks are removed afterwards.
 */
export class WarmSaver {
  readonly #cache: WarmCache
  readonly #files: WarmFiles
  readonly #values: WarmValues
  readonly #settings: PlacedWarmSettings
  readonly #counters: WarmCounters
  readonly #chunkBytes: number
  readonly #mostChunks: number

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
    this.#chunkBytes = chunkBytesOf(settings)
    this.#mostChunks = mostChunksOf(settings, this.#chunkBytes)
  }

  /**
   * Save what is there now, as much of it as there is time for.
   *
   * @throws {StoreError} of the store; the last save is still there then
   */
  async save(limits: Limits): Promise<WarmSaved> {
    const halfTimeAt = (performance.now() + limits.deadlineAt) / 2
    const last = await this.#files.manifest(limits)
    const slot = typeof last === 'object' ? 1 - last.slot : 0
    const now = await this.#moment()
    const chunks = new Chunks({ slot, id: newSaveId() }, this.#chunkBytes, (place, bytes) =>
      this.#files.putChunk(place, bytes, limits),
    )
    this.#counters.leftOut = 0
    await this.#fill(chunks, now, halfTimeAt)
    await this.#files.putManifest(this.#manifest(chunks, now), limits)
    this.#counters.saves++
    this.#counters.saved = chunks.entries
    await this.#removeOthers(slot, chunks.sums.length, limits)
    return { entries: chunks.entries, bytes: chunks.bytes }
  }

  async #moment(): Promise<Moment> {
    const uptime = await this.#settings.uptime()
    const isNamed = uptime !== undefined && Buffer.byteLength(uptime.boot) <= mostNameBytes
    // In this order: what passes between them is not added to the freshness of entries.
    return {
      uptime: isNamed ? uptime : undefined,
      wall: this.#cache.clock(),
      monotonic: this.#cache.monotonicClock(),
    }
  }

  async #fill(chunks: Chunks, now: Moment, until: number): Promise<void> {
    const slices = new Slices()
    for (const kept of this.#cache.hottest()) {
      if (slices.isOver) await slices.next()
      if (performance.now() > until) break
      if (!this.#isWorthIt(kept, now)) continue
      const entry = await this.#encode(kept, now)
      if (entry === undefined) {
        this.#counters.leftOut++
        continue
      }
      const isFull =
        chunks.bytesWith(entry) > this.#settings.maxBytes || chunks.countWith(entry) > this.#mostChunks
      if (isFull) break
      await chunks.add(entry)
    }
    await chunks.end()
  }

  /** False for an entry that is absent, expired, replaced meanwhile or too old. */
  #isWorthIt(kept: CachedEntry, now: Moment): boolean {
    const { entry, freshUntil } = kept
    if (entry === undefined || !this.#cache.isKept(kept) || !isLive(entry.expiresAt, now.wall)) return false
    return now.monotonic - freshUntil <= this.#settings.maxAgeMs
  }

  async #encode(
    { key, entry, freshUntil, bytes, cost }: CachedEntry,
    now: Moment,
  ): Promise<Buffer | undefined> {
    const { value, version, expiresAt } = entry as NonNullable<CachedEntry['entry']>
    if (bytes > this.#chunkBytes * mostHeapRatio) return undefined
    const encoded = await this.#values.encode(value)
    if (encoded === undefined) return undefined
    const freshForMs = freshUntil - now.monotonic
    const saved = encodeWarmEntry({ key, version, expiresAt, freshForMs, cost, ...encoded })
    return saved === undefined || saved.length > this.#chunkBytes - chunkHeaderBytes ? undefined : saved
  }

  #manifest({ place, sums }: Chunks, { wall, uptime }: Moment): Manifest {
    const { namespace, codec } = this.#settings
    return {
      slot: place.slot,
      id: place.id,
      savedAt: wall,
      uptimeMs: uptime?.ms ?? 0,
      boot: uptime?.boot ?? '',
      freshForMs: this.#cache.freshForMs,
      codec: codec.name,
      namespace,
      chunks: sums,
    }
  }

  /** Removes chunks of earlier saves. Chunks that remain are removed after the next save. */
  async #removeOthers(slot: number, count: number, limits: Limits): Promise<void> {
    try {
      await this.#files.removeChunks(1 - slot, 0, limits)
      await this.#files.removeChunks(slot, count, limits)
    } catch {
      this.#counters.errors++
    }
  }
}

/** Chunks that are at least half full, but the last, and that a manifest has room for. */
function mostChunksOf({ maxBytes, store, namespace, codec }: PlacedWarmSettings, chunkBytes: number): number {
  const names = { namespace, codec: codec.name, boot: ' '.repeat(mostNameBytes) }
  const empty = manifestBytes(names, 0)
  const room = Math.floor((store.capabilities.maxValueBytes - empty) / (manifestBytes(names, 1) - empty))
  return Math.min(mostChunks, room, Math.ceil((2 * maxBytes) / chunkBytes) + 1)
}

/** Entries on their way into chunks, each written when it is full. */
class Chunks {
  readonly place: { readonly slot: number; readonly id: string }
  readonly sums: ChunkSum[] = []
  entries = 0
  /** Length of the finished chunks. */
  bytes = 0
  readonly #mostBytes: number
  readonly #put: (place: { slot: number; id: string; index: number }, bytes: Buffer) => Promise<void>
  #waiting: Buffer[] = []
  /** Length of the chunk that is not written yet. */
  #open = chunkHeaderBytes

  constructor(
    place: { readonly slot: number; readonly id: string },
    mostBytes: number,
    put: (place: { slot: number; id: string; index: number }, bytes: Buffer) => Promise<void>,
  ) {
    this.place = place
    this.#mostBytes = mostBytes
    this.#put = put
  }

  /** Bytes of all chunks, if this entry came too. */
  bytesWith(entry: Buffer): number {
    return this.bytes + this.#open + entry.length + (this.#fits(entry) ? 0 : chunkHeaderBytes)
  }

  /** Number of chunks, if this entry came too. */
  countWith(entry: Buffer): number {
    return this.sums.length + (this.#fits(entry) ? 1 : 2)
  }

  async add(entry: Buffer): Promise<void> {
    if (!this.#fits(entry)) await this.#flush()
    this.#waiting.push(entry)
    this.#open += entry.length
    this.entries++
  }

  async end(): Promise<void> {
    if (this.#waiting.length > 0) await this.#flush()
  }

  #fits(entry: Buffer): boolean {
    return this.#open + entry.length <= this.#mostBytes
  }

  async #flush(): Promise<void> {
    const place = { ...this.place, index: this.sums.length }
    const chunk = encodeChunk(place, this.#waiting)
    this.#waiting = []
    this.#open = chunkHeaderBytes
    await this.#put(place, chunk)
    this.bytes += chunk.length
    this.sums.push({ bytes: chunk.length, hash: await hashOf(chunk) })
  }
}
