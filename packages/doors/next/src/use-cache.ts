import type { KeyValue, Supporting } from '@unikv/core'
import { type NextCacheOptions, opened, settingsOf } from './options.ts'
import type { Durations } from './tag-state.ts'
import { sinceEpoch, type Tagged, TaggedRecords } from './tagged-records.ts'

/** The result of a function with `'use cache'`. */
export interface UseCacheEntry extends UseCacheTimes {
  /** Can be read once. */
  readonly value: ReadableStream<Uint8Array>
  readonly tags: string[]
}

/** The times of an entry. */
export interface UseCacheTimes {
  /** When the work on it began, in milliseconds since 1970. */
  readonly timestamp: number
  /** Seconds for which a browser may show it. */
  readonly stale: number
  /** Seconds after which it is made anew; -1: at once. */
  readonly revalidate: number
  /** Seconds after which it is gone. */
  readonly expire: number
}

/** The methods that Next.js calls. One object serves all requests of a process. */
export interface UseCacheHandler {
  /** Waits for the `set` of the same key in this process. */
  get(key: string, softTags: readonly string[]): Promise<UseCacheEntry | undefined>
  /** Keeps an entry when its stream has ended; one whose stream fails is not kept. */
  set(key: string, pending: Promise<UseCacheEntry>): Promise<void>
  /** Nothing: each `get` reads its tags. */
  refreshTags(): Promise<void>
  /** Infinity: `get` looks at the tags itself. */
  getExpiration(tags: readonly string[]): Promise<number>
  /** Without durations, entries with these tags are gone at once. */
  updateTags(tags: readonly string[], durations?: Durations): Promise<void>
}

interface Kept extends Tagged, UseCacheTimes {
  readonly value: Uint8Array
}

/**
 * A handler for `cacheHandlers` of `next.config.mjs`: the results of functions with `'use cache'`.
 *
 * @param open makes the KeyValue, with `structured()`, when a process needs it first
 * @throws {StoreError} `INVALID_CONFIG` for a wrong argument; from its calls: `UNSUPPORTED` if the store has no conditional writes
 */
export function nextUseCacheHandler<V>(
  open: () => KeyValue<string, V, Supporting<'conditionalWrite'>>,
  options: NextCacheOptions = {},
): UseCacheHandler {
  const { ttlMs, attempt } = settingsOf('nextUseCacheHandler', open, options)
  const records = new TaggedRecords<Kept>(
    () => opened('nextUseCacheHandler', open()).namespace('use-cache'),
    ttlMs,
  )
  const pending = new Map<string, Promise<void>>()

  async function keep(key: string, given: Promise<UseCacheEntry>): Promise<void> {
    const entry = await given
    const value = await bytesOf(entry.value)
    if (value === undefined) return
    const { timestamp, stale, revalidate, expire, tags } = entry
    const begunAt = records.markAt(timestamp)
    await records.write(key, { begunAt, tags, value, timestamp, stale, revalidate, expire }, expire * 1000)
  }

  return {
    get: async (key, softTags) => {
      await pending.get(key)?.catch(() => {})
      const found = await attempt(async () => records.read(key, softTags), undefined)
      if (found?.record === undefined) return undefined
      const { value, timestamp, stale, expire, tags } = found.record
      if (timestamp + expire * 1000 < sinceEpoch()) return undefined
      const revalidate = found.freshness === 'stale' ? -1 : found.record.revalidate
      return { value: streamOf(value), tags: [...tags], timestamp, stale, revalidate, expire }
    },
    set: async (key, given) => {
      const kept = attempt(async () => keep(key, given), undefined)
      pending.set(key, kept)
      try {
        await kept
      } finally {
        if (pending.get(key) === kept) pending.delete(key)
      }
    },
    refreshTags: async () => {},
    getExpiration: async () => Number.POSITIVE_INFINITY,
    updateTags: async (tags, durations) => records.revalidate(tags, durations),
  }
}

/** `undefined` if the stream fails: then the render has failed, which Next.js reports. */
async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of stream) chunks.push(chunk)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks)
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes)
      controller.close()
    },
  })
}
