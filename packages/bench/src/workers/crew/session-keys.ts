import { AbortController, pause } from '@unikv/core/platform'
import type { Redis } from 'ioredis'
import { expireLater, names } from '../queue/keys.ts'
import { otherManager, type QueueAddress } from '../queue/redis.ts'

/** Plain keys of a session live so long without the manager. */
const keysLiveMs = 60_000

/** How a session keeps its keys. */
export interface KeysOptions {
  readonly session: string
  readonly heartbeatMs: number
  /** Jobs that may still be in Redis: they are kept, too. */
  readonly jobs: ReadonlySet<string>
}

/** The plain keys of a session beside the queue: the manager's signs of life, and values that workers read. */
export class SessionKeys {
  readonly #redis: Redis
  readonly #options: KeysOptions
  readonly #signs: readonly string[]
  /** Values that are kept alive. */
  readonly #values = new Set<string>()
  readonly #end = new AbortController()
  #beating: Promise<void> = Promise.resolve()

  constructor(redis: Redis, options: KeysOptions) {
    this.#redis = redis
    this.#options = options
    this.#signs = [names.session(options.session), names.manager]
  }

  /**
   * Become the only manager of the queue, and give signs of life from now on; the claim of one that was killed expires.
   *
   * @throws {StoreError} `UNAVAILABLE` if another one is at work
   */
  async claim(address: QueueAddress): Promise<void> {
    const { session, heartbeatMs } = this.#options
    const claim = (): Promise<string | null> =>
      this.#redis.set(names.manager, session, 'PX', 3 * heartbeatMs, 'NX')
    for (let turn = 0; (await claim()) !== 'OK'; turn++) {
      if (turn === 15) throw otherManager(address)
      await pause(heartbeatMs / 4)
    }
    await this.#redis.set(names.session(session), session, 'PX', 3 * heartbeatMs)
    this.#beating = this.#beat()
  }

  /** Workers end what they do for a session whose sign of life is missing. */
  async #beat(): Promise<void> {
    const { signal } = this.#end
    const { session, heartbeatMs, jobs } = this.#options
    while (!signal.aborted) {
      await pause(heartbeatMs, { signal, ref: false })
      if (signal.aborted) return
      const signs = this.#redis.multi()
      for (const key of this.#signs) signs.set(key, session, 'PX', 3 * heartbeatMs)
      for (const key of this.#values) signs.pexpire(key, keysLiveMs)
      await signs.exec().catch(() => {})
      await expireLater(this.#redis, jobs).catch(() => {})
    }
  }

  /** Put a value where workers find it. */
  async put(key: string, value: string | Buffer): Promise<void> {
    this.#values.add(key)
    await this.#redis.set(key, value, 'PX', keysLiveMs)
  }

  /** Give no more signs of life. */
  async end(): Promise<void> {
    this.#end.abort()
    await this.#beating
  }

  /** Remove them all; a claim that another manager has meanwhile stays. */
  async remove(): Promise<void> {
    const { session } = this.#options
    const isManager = (await this.#redis.get(names.manager)) === session
    await this.#redis.del(names.session(session), ...(isManager ? [names.manager] : []), ...this.#values)
  }
}
