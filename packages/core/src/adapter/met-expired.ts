import { callOptions } from '../contract/derive.ts'
import type { CallOptions } from '../contract/store.ts'
import { performance } from '../platform/heartbeat.ts'
import { AbortController } from '../platform/signals.ts'

/** Most records that wait for their removal; those beyond are met again. */
const most = 256
const timeoutMs = 5_000

/** An expired record: its key, and what tells it from a fresh write (a revision, an ETag). */
export type Met<M> = readonly [key: string, mark: M]

/** How expired records are removed that reads and listings met. */
export interface Removal<M> {
  /** Most records of one removal. */
  readonly atOnce: number
  /** Removes each record only while its mark is still the same, so that no fresh write is lost. Errors are ignored. */
  remove(met: readonly Met<M>[], call: CallOptions): Promise<unknown>
}

/**
 * Removes expired records that reads and listings met, in the background, one removal after another: for stores that
 * have no such thing of their own, and no index of expired records.
 */
export class MetExpired<M> {
  readonly #removal: Removal<M>
  readonly #waiting = new Map<string, M>()
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined

  constructor(removal: Removal<M>) {
    this.#removal = removal
  }

  /** Notes an expired record. */
  readonly met = (key: string, mark: M): void => {
    if (this.#stop.signal.aborted || this.#waiting.size >= most) return
    this.#waiting.set(key, mark)
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  /** Starts nothing more, and ends the removal under way. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.#waiting.clear()
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      // Records that the same read met are removed together.
      await Promise.resolve()
      const next = [...this.#waiting].slice(0, this.#removal.atOnce)
      for (const [key] of next) this.#waiting.delete(key)
      const call = callOptions({ deadlineAt: performance.now() + timeoutMs, signal: this.#stop.signal })
      // A record that could not be removed is met again.
      await this.#removal.remove(next, call).catch(() => {})
    }
  }
}
