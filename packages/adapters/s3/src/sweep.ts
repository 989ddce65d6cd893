import { callOptions } from '@unikv/core/adapter'
import { AbortController, performance } from '@unikv/core/platform'
import type { Requests } from './client/requests.ts'
import { deleteIf } from './write.ts'

/** Most removals at a time; what is met meanwhile is met again. */
const mostRemovals = 4
/** Longest time that one may take. */
const removalMs = 5_000

/** Removes expired records that reads met, bound to what they saw, so that no fresh write is lost. */
export class Sweeper {
  readonly #requests: Requests
  readonly #underWay = new Map<string, Promise<unknown>>()
  readonly #stop = new AbortController()

  constructor(requests: Requests) {
    this.#requests = requests
  }

  /** A record of this key had expired; its object had this ETag. */
  readonly met = (key: string, etag: string): void => {
    if (this.#underWay.size >= mostRemovals || this.#underWay.has(key) || this.#stop.signal.aborted) return
    const call = callOptions({ deadlineAt: performance.now() + removalMs, signal: this.#stop.signal })
    const removal = deleteIf(this.#requests, key, etag, call)
      // Whoever meets it again removes it.
      .catch(() => undefined)
      .finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, removal)
  }

  /** Resolve when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#underWay.values())
  }
}
