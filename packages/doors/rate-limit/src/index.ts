import { type Bytes, type KeyValue, StoreError, type Supporting } from '@unikv/core'
import { checkFactoryOptions, checkName } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import { type Counters, checkCounters, countOf, withinPrefix } from './counters.ts'

export type { Counters } from './counters.ts'

/** Options of `rateLimitStore`. */
export interface RateLimitOptions {
  /**
   * Namespace of the counters, so that several limits can share a KeyValue. Without one (`''`) they lie in the KeyValue
   * itself, and `resetAll` empties all of it. @default 'rl:'
   */
  readonly prefix?: string | undefined
}

/** The hits of a client, and when its window ends. */
export interface Hits {
  readonly totalHits: number
  readonly resetTime: Date
}

/** A store of express-rate-limit. */
export interface RateLimitStore {
  /** Several processes share the counters. */
  readonly localKeys: false
  readonly prefix: string
  /** Called by `rateLimit()`: takes over its `windowMs`. */
  readonly init: (options: { readonly windowMs: number }) => void
  /** Count one more hit, in one step of the store. */
  readonly increment: (key: string) => Promise<Hits>
  /** Take one hit back. */
  readonly decrement: (key: string) => Promise<void>
  /** The hits of a client so far; `undefined` if it has no window. */
  readonly get: (key: string) => Promise<Hits | undefined>
  /** Forget a client. */
  readonly resetKey: (key: string) => Promise<void>
  /** Needs a store that lists its keys (`scan`). */
  readonly resetAll: () => Promise<void>
}

/**
 * A store for `rateLimit({ store })` of express-rate-limit, one for each limit.
 *
 * @param kv without a codec, as the store itself reads the numbers
 * @throws {StoreError} `INVALID_CONFIG` for a wrong argument; `UNSUPPORTED` if the store cannot add to numbers or expire them
 */
export function rateLimitStore(kv: Counters, options: RateLimitOptions = {}): RateLimitStore {
  checkFactoryOptions('rateLimitStore', options, { prefix: true })
  checkCounters('rateLimitStore', kv)
  const { prefix = 'rl:' } = options
  if (prefix !== '') checkName('prefix', prefix)
  const own = withinPrefix(kv, prefix)
  let windowMs = 60_000
  const hits = (totalHits: number, expiresAt = wallClock() + windowMs): Hits => ({
    totalHits,
    resetTime: new Date(expiresAt),
  })
  return {
    localKeys: false,
    prefix,
    init: (limit) => {
      windowMs = limit.windowMs
    },
    increment: async (key) => {
      const { value, expiresAt } = await own.incrementEntry(prefix + key, 1, { ttlMs: windowMs })
      return hits(value, expiresAt)
    },
    decrement: async (key) => {
      // If the window has ended in between, the next one begins with 0, not with a hit for free.
      const left = await own.increment(prefix + key, -1, { initial: 1, ttlMs: windowMs })
      if (left < 0) await own.increment(prefix + key, 1, { initial: -1, ttlMs: windowMs }).catch(leftBelow)
    },
    get: async (key) => {
      const entry = await countOf(own, prefix + key)
      return entry && hits(entry.value, entry.expiresAt)
    },
    resetKey: async (key) => {
      await own.delete(prefix + key)
    },
    resetAll: async () => {
      const listing = own as KeyValue<string, Bytes> as KeyValue<string, Bytes, Supporting<'scan'>>
      await listing.clear({ all: true })
    },
  }
}

/** The first step has changed the number, which the error of the second one alone would not tell. */
function leftBelow(cause: unknown): never {
  throw new StoreError(
    'PARTIAL',
    'The hit was taken back, but the number is below 0 now, and could not be set to 0: see the cause.',
    { cause, done: 1 },
  )
}
