import type { BusWrite } from './bus.ts'

/** Most keys that are told again later one by one. */
const mostKeys = 10_000
/** Unconfirmed changes are sent again at most this often while pings come back; a bus that keeps order has then told them. */
const mostTimes = 8

/** Changes that are sent in one message. */
export interface News {
  readonly keys: readonly string[]
  readonly tags: readonly string[]
  /** Whether anything may have been written. */
  readonly all: boolean
}

/** Changes that could not be sent in time. They are sent again at the next ping; each failure doubles the delay. */
export class Untold {
  readonly #pingMs: number
  #keys = new Map<string, News>()
  #tags = new Map<string, News>()
  #all: News | undefined
  #failures = 0
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(pingMs: number) {
    this.#pingMs = pingMs
  }

  add(news: News): void {
    for (const key of news.keys) this.#keys.set(key, news)
    for (const tag of news.tags) this.#tags.set(tag, news)
    if (news.all) this.#all = news
    if (this.#keys.size + this.#tags.size <= mostKeys) return
    this.#keys.clear()
    this.#tags.clear()
    this.#all = { keys: [], tags: [], all: true }
  }

  /** Removes changes that were sent after all; changes added since then stay. */
  remove(news: News): void {
    for (const key of news.keys) if (this.#keys.get(key) === news) this.#keys.delete(key)
    for (const tag of news.tags) if (this.#tags.get(tag) === news) this.#tags.delete(tag)
    if (this.#all === news) this.#all = undefined
  }

  /** Whether it must be told now. `confirmedAt`: when the ping was sent that came back last. */
  isDue(now: number, confirmedAt: number): boolean {
    if (this.#isEmpty) return false
    if (this.#failures === 0) return true
    // A bus that carries no pings carries nothing else.
    return confirmedAt > this.#failedAt && now >= this.#failedAt + this.#pingMs * 2 ** this.#failures
  }

  /** All of it, to be told now. */
  take(): News {
    const news = { keys: [...this.#keys.keys()], tags: [...this.#tags.keys()], all: this.#all !== undefined }
    this.#keys.clear()
    this.#tags.clear()
    this.#all = undefined
    return news
  }

  /** Called when the changes that were taken could not be sent in time. */
  failed(news: News, now: number): void {
    this.#failures++
    this.#failedAt = now
    if (this.#failures >= mostTimes) return this.renew()
    this.add(news)
  }

  /** From now on it is told as at first. */
  renew(): void {
    this.#failures = 0
    this.#failedAt = Number.NEGATIVE_INFINITY
  }

  get #isEmpty(): boolean {
    return this.#all === undefined && this.#keys.size + this.#tags.size === 0
  }
}

/** These writes without versions: when they are sent later, the versions of the keys are unknown. */
export function unversioned(news: News): readonly BusWrite[] {
  return news.keys.map((key) => ({ key, version: undefined }))
}
