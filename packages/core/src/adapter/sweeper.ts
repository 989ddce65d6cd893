import { callOptions } from '../contract/derive.ts'
import type { CallOptions, Mutation } from '../contract/store.ts'
import { performance } from '../platform/heartbeat.ts'

/** Most records that one sweep removes. */
const mostRecords = 128
/** Writes with an expiry between two sweeps: fewer than a sweep removes, so that sweeping keeps up. */
const writesBetween = 64
const timeoutMs = 2_000

/** Removes some expired records from what a store has opened: at most so many, within the call. */
export type Sweep<B> = (opened: B, mostRecords: number, call: CallOptions) => Promise<unknown>

/**
 * Removes expired records in the wake of writes that set an expiry, one sweep at a time: for stores that have no such
 * thing of their own and find expired records by an index.
 */
export class Sweeper<B> {
  readonly #sweep: Sweep<B>
  #writes = 0
  #running: Promise<void> | undefined
  #call: CallOptions | undefined

  /** `sweep` removes what is still expired when it comes to it, so that it takes no fresh write. */
  constructor(sweep: Sweep<B>) {
    this.#sweep = sweep
  }

  /** Count mutations that are on their way, and sweep if it is time. Errors are ignored: the next sweep retries. */
  after(mutations: readonly Mutation<unknown>[], opened: B): void {
    for (const mutation of mutations) {
      if (mutation.type !== 'delete' && typeof mutation.expiresAt === 'number') this.#writes++
    }
    if (this.#writes < writesBetween || this.#running !== undefined) return
    this.#writes = 0
    this.#running = this.#run(opened).finally(() => {
      this.#running = undefined
    })
  }

  /** Start nothing more. Resolves when the sweep under way has ended. */
  async stop(): Promise<void> {
    this.#writes = Number.NEGATIVE_INFINITY
    if (this.#call !== undefined) this.#call.settled = true
    await this.#running
  }

  async #run(opened: B): Promise<void> {
    this.#call = callOptions({ deadlineAt: performance.now() + timeoutMs })
    try {
      await this.#sweep(opened, mostRecords, this.#call)
    } catch {
      // The next sweep finds the same records.
    }
  }
}
