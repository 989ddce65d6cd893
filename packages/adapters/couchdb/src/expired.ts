import { callOptions } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { CouchDatabase } from './client/couch-database.ts'
import { type CouchDocument, tombstoneJson } from './document.ts'

/** Most documents that wait for their removal; more are left to the next who meets them. */
const most = 256
const timeoutMs = 2_000

/**
 * Removes expired documents that readers met, some at a time, in the background. Each deletion names the revision that
 * was met, so that no fresh write goes with it. Errors are ignored: the next read retries.
 */
export class Expired {
  readonly #couch: CouchDatabase
  readonly #met = new Map<string, string>()
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(couch: CouchDatabase) {
    this.#couch = couch
  }

  meet({ _id: id, _rev: rev }: CouchDocument): void {
    if (this.#isClosed || this.#met.size >= most) return
    this.#met.set(id, rev)
    this.#running ??= this.#remove().finally(() => {
      this.#running = undefined
    })
  }

  /** Start nothing more. Resolves when the removal under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
  }

  async #remove(): Promise<void> {
    while (this.#met.size > 0 && !this.#isClosed) {
      const tombstones = [...this.#met].map(([id, rev]) => tombstoneJson(id, rev))
      this.#met.clear()
      const call = callOptions({ deadlineAt: performance.now() + timeoutMs })
      await this.#couch.write(tombstones, call).catch(() => {})
    }
  }
}
