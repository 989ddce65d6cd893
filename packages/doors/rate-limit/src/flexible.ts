import { wallClock } from '@unikv/core/platform'
import { RateLimiterRes, type RateLimiterStoreAbstract } from 'rate-limiter-flexible'
// @ts-expect-error: the main entry declares this class, but does not export it.
import Abstract from 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js'
import { type Count, type Counters, checkCounters, counterOf, countOf, withinPrefix } from './counters.ts'

export type { Count, Counters } from './counters.ts'

/** The options of every limiter of rate-limiter-flexible; `storeClient` is the KeyValue. */
export type RateLimiterOptions = Omit<
  ConstructorParameters<typeof RateLimiterStoreAbstract>[0],
  'storeClient'
> & { readonly storeClient: Counters }

const Base: typeof RateLimiterStoreAbstract = Abstract

/**
 * A limiter of rate-limiter-flexible. Points are whole numbers.
 *
 * @throws {StoreError} from the constructor: `INVALID_CONFIG` without a KeyValue, `UNSUPPORTED` if the store cannot add to numbers or expire them
 */
export class RateLimiterKeyValue extends Base {
  readonly #kv: Counters

  constructor(options: RateLimiterOptions) {
    super(options)
    this.#kv = options.storeClient
    checkCounters('RateLimiterKeyValue', this.#kv)
  }

  /** The prefix of a limiter may be changed. */
  get #own(): Counters {
    return withinPrefix(this.#kv, this.keyPrefix)
  }

  /** Called by the base class, as all that follow. */
  async _upsert(key: string, points: number, durationMs: number, overwrites = false): Promise<Count> {
    const expiry = durationMs > 0 ? { ttlMs: durationMs } : {}
    if (!overwrites) return this.#own.incrementEntry(key, points, expiry)
    await this.#own.set(key, counterOf(points), expiry)
    return { value: points, expiresAt: durationMs > 0 ? wallClock() + durationMs : undefined }
  }

  /** `null`: nothing is counted. */
  async _get(key: string): Promise<Count | null> {
    return (await countOf(this.#own, key)) ?? null
  }

  /** Whether something was counted. */
  async _delete(key: string): Promise<boolean> {
    return (await this.#own.delete(key)).existed ?? true
  }

  /** The answer of the limiter. */
  _getRateLimiterRes(_key: string, changed: number, { value, expiresAt }: Count): RateLimiterRes {
    const beforeNextMs = expiresAt === undefined ? -1 : Math.max(0, expiresAt - wallClock())
    return new RateLimiterRes(Math.max(0, this.points - value), beforeNextMs, value, value === changed)
  }
}
